"""What the scripted model of the tasks tests says: lists of tasks, work on a task, reflections."""
from braid_client.upstream import Call, End, Say, Upstream

ITEM_TOOLS = ("create_artifact", "read_artifact", "list_artifacts", "create_data_item", "read_data_item",
              "update_data_item", "delete_data_item")
TOOLS = ("set_tasks", *ITEM_TOOLS, "calculator", "file_write", "file_list")
TITLES = ("Look", "Compare", "Write")


def planner(upstream: Upstream, name="scripted", tools=TOOLS, approval="{default: ask}", max_steps=12):
    return upstream.agent(name, tools=tools, approval=approval) + f"max_steps: {max_steps}\n"


def listed(*titles):
    return Call("set_tasks", {"tasks": [{"title": title, "description": f"To {title.lower()}."} for title in titles]})


class Script:
    """Tells the upstream what to say next; each call is one or more model turns."""

    def __init__(self, upstream):
        self.upstream = upstream

    def plan(self, *titles, text="Here is the list."):
        self.upstream.script(listed(*titles), End("tool_calls"))
        self.upstream.script(Say(text), End())

    def uses(self, *calls):
        """A turn that calls tools, all at once."""
        numbered = [Call(call.name, call.arguments, index) for index, call in enumerate(calls)]
        self.upstream.script(*numbered, End("tool_calls"))

    def ends(self, result, reflection="Noted."):
        """The last turn of a task, and its reflection."""
        self.upstream.script(Say(result), End())
        self.upstream.script(Say(reflection), End())

    def gives_up(self, reason, reflection="A pity."):
        self.upstream.script(Call("fail_task", {"reason": reason}), End("tool_calls"))
        self.upstream.script(Say(reflection), End())


def artifact(name="Findings", type="document", content="# Findings\n"):
    return Call("create_artifact", {"name": name, "type": type, "content": content})


def data_item(item_type="contact", **data):
    return Call("create_data_item", {"item_type": item_type, "data": data})
