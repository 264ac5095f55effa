// Shows the document. Text goes into the page as text nodes and never as markup, whatever the document holds.

const byId = (id) => document.getElementById(id);

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children.filter((child) => child !== null && child !== ''));
  return made;
}

// `code`, **strong** and *emphasis*: as much of Markdown as the descriptions use.
function inline(text) {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*|\*[^*]+\*)/).filter(Boolean).map((part) => {
    if (/^`.+`$/.test(part)) return element('code', {}, part.slice(1, -1));
    if (/^\*\*.+\*\*$/.test(part)) return element('strong', {}, part.slice(2, -2));
    if (/^\*.+\*$/.test(part)) return element('em', {}, part.slice(1, -1));
    return part;
  });
}

function paragraphs(text, className = '') {
  return (text ?? '').split(/\n\s*\n/).filter(Boolean)
    .map((part) => element('p', className ? { class: className } : {}, ...inline(part)));
}

function fold(summary, body, attributes = {}) {
  return element('details', attributes, element('summary', {}, ...summary), element('div', { class: 'body' }, ...body));
}

// ---- schemas ----

function schemaLink(name) {
  return element('a', { href: `#schema-${name}` }, name);
}

// A named schema is a link to its own place, so the page is finite whatever refers to whatever.
function schemaView(schema) {
  const name = refName(schema);
  if (name) return [element('span', { class: 'type' }, schemaLink(name))];
  const parts = [];
  const choices = schema.oneOf ?? schema.anyOf;
  parts.push(element('span', { class: 'type' }, choices ? 'one of' : typeWords(schema)));
  if (schema.description) parts.push(element('span', { class: 'note' }, ' — ', ...inline(schema.description)));
  if (choices) parts.push(element('ul', {}, ...choices.map((choice) => element('li', {}, ...schemaView(choice)))));
  if (schema.items) parts.push(element('dl', { class: 'fields' }, ...field('each', schema.items, true)));
  if (schema.contentSchema) {
    parts.push(element('dl', { class: 'fields' }, ...field('data', schema.contentSchema, true)));
  }
  if (schema.properties) parts.push(propertiesView(schema));
  return parts;
}

function propertiesView(schema) {
  const required = schema.required ?? [];
  return element('dl', { class: 'fields' },
    ...Object.entries(schema.properties).flatMap(([name, value]) => field(name, value, required.includes(name))));
}

function field(name, schema, isRequired) {
  const optional = isRequired ? '' : element('span', { class: 'note' }, ' optional');
  return [element('dt', {}, element('code', {}, name), optional),
          element('dd', {}, ...schemaView(schema))];
}

function mediaView([type, media]) {
  const parts = [element('h4', {}, element('code', {}, type)), element('div', {}, ...schemaView(media.schema))];
  if (media['x-events']) {
    parts.push(element('p', { class: 'note' }, 'Events: ', ...Object.entries(media['x-events']).flatMap(
      ([contract, ref]) => [`${contract} `, schemaLink(refName(ref)), ' '])));
  }
  for (const { name, value } of examplesOf(media)) {
    parts.push(element('p', { class: 'note' }, name ? `Example: ${name}` : 'Example'),
               element('pre', { tabindex: '0' }, exampleText(value)));
  }
  return parts;
}

// ---- operations ----

function parametersView(parameters) {
  if (parameters.length === 0) return [];
  const rows = parameters.map((p) => element('tr', {},
    element('td', {}, element('code', {}, p.name), p.required ? '' : element('span', { class: 'note' }, ' optional')),
    element('td', {}, p.in),
    element('td', {}, ...schemaView(p.schema)),
    element('td', {}, ...inline(p.description ?? ''))));
  const head = ['Name', 'In', 'Type', 'Meaning'].map((word) => element('th', { scope: 'col' }, word));
  return [element('h4', {}, 'Parameters'),
          element('table', {}, element('thead', {}, element('tr', {}, ...head)), element('tbody', {}, ...rows))];
}

function responseView(api, status, written) {
  const response = resolve(api, written);
  const headers = Object.entries(response.headers ?? {}).map(([name, value]) => {
    const header = resolve(api, value);
    return element('p', {}, element('code', {}, name), ' ', ...inline(header.description ?? ''));
  });
  const content = Object.entries(response.content ?? {}).flatMap(mediaView);
  return fold([element('strong', {}, status), ' ', ...inline(response.description)], [...headers, ...content]);
}

const ACCESS_WORDS = {
  open: 'Open: no credential is needed.',
  user: 'For users: the session cookie or an API key; with --dev anybody.',
  credential: 'Always demands the session cookie or an API key.',
  admin: 'For admins: the session cookie or an API key of one; with --dev anybody.',
};

function operationView(api, entry) {
  const { id, method, path, operation, parameters, alsoHead } = entry;
  const body = resolve(api, operation.requestBody);
  const summary = [element('span', { class: `method ${method}` }, method.toUpperCase()),
                   element('span', { class: 'path' }, path), element('span', { class: 'what' }, operation.summary)];
  return fold(summary, [
    ...paragraphs(operation.description),
    element('p', { class: 'note' }, ACCESS_WORDS[operation['x-access']], alsoHead ? ' HEAD is answered too.' : ''),
    element('pre', { tabindex: '0', 'aria-label': 'As a curl command' }, curlLine(api, entry, location.origin)),
    ...parametersView(parameters),
    ...(body ? [element('h4', {}, 'Body'), ...paragraphs(body.description),
                ...Object.entries(body.content).flatMap(mediaView)] : []),
    element('h4', {}, 'Responses'),
    ...Object.entries(operation.responses).map(([status, response]) => responseView(api, status, response)),
  ], { id, class: 'operation', 'data-words': `${method} ${path} ${operation.summary} ${id}`.toLowerCase() });
}

function schemaSection(api) {
  return element('section', { id: 'schemas' }, element('h2', {}, 'Schemas'),
    ...Object.entries(api.components.schemas).map(([name, schema]) => {
      const examples = (schema.examples ?? []).map((value) => element('pre', { tabindex: '0' }, exampleText(value)));
      return fold([element('code', {}, name)], [...schemaView(schema), ...examples],
                  { id: `schema-${name}`, 'data-words': name.toLowerCase() });
    }));
}

// ---- the page ----

function show(api) {
  byId('version').textContent = api.info.version;
  byId('summary').textContent = api.info.summary;
  const operations = operationsOf(api);
  const sections = [], contents = [];
  for (const tag of api.tags) {
    const own = operations.filter(({ operation }) => operation.tags.includes(tag.name));
    sections.push(element('section', {}, element('h2', { id: `tag-${tag.name}` }, tag.name),
      ...paragraphs(tag.description, 'note'), ...own.map((entry) => operationView(api, entry))));
    contents.push(element('h2', {}, element('a', { href: `#tag-${tag.name}` }, tag.name)),
      element('ul', {}, ...own.map(({ id, method, path, operation }) => element('li', {
        'data-words': `${method} ${path} ${operation.summary} ${id}`.toLowerCase() },
        element('span', { class: `method ${method}` }, method.toUpperCase()),
        element('a', { href: `#${id}` }, path)))));
  }
  contents.push(element('h2', {}, element('a', { href: '#schemas' }, 'schemas')));
  byId('contents').replaceChildren(...contents);
  byId('main').replaceChildren(...paragraphs(api.info.description), ...sections, schemaSection(api));
}

function find() {
  const words = byId('find').value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const node of document.querySelectorAll('[data-words]')) {
    node.hidden = !words.every((word) => node.dataset.words.includes(word));
  }
}

// A link to something folded away unfolds it.
function openTarget() {
  const target = location.hash ? byId(decodeURIComponent(location.hash.slice(1))) : null;
  if (!target) return;
  if (target.tagName === 'DETAILS') target.open = true;
  target.scrollIntoView();
}

function setAll(open) {
  for (const details of document.querySelectorAll('main details')) details.open = open;
}

byId('find').addEventListener('input', find);
byId('open-all').addEventListener('click', () => setAll(true));
byId('close-all').addEventListener('click', () => setAll(false));
addEventListener('hashchange', openTarget);

try {
  const answer = await fetch('openapi.json', { credentials: 'same-origin' });
  if (!answer.ok) throw new Error(`openapi.json: ${answer.status}`);
  show(await answer.json());
  openTarget();
} catch (error) {
  byId('status').textContent = `The document could not be read (${error.message}).`;
}
