// The documents that tasks left: a list, one to read as Markdown or as it is written, each as a file to download.
import {useEffect, useState} from 'preact/hooks';
import {artifactFile, readArtifact} from '../../api/tasks';
import type {Artifact, SessionDetail} from '../../api/types';
import {href, replace, route} from '../../router';
import {Dialog} from '../../ui/dialog';
import {Markdown} from '../../ui/markdown';
import {CopyButton, Empty, ErrorBox, Spinner, Time} from '../../ui/parts';
import {visible, VisibleText} from '../../ui/hidden_chars';

export function Artifacts({detail}: {detail: SessionDetail}) {
  const open = route.value.query.get('artifact');
  const show = (id: string | null) => replace(`${href('tasks', route.value.id)}?tab=artifacts${id ? `&artifact=${id}` : ''}`);
  const shown = detail.artifacts.find((artifact) => artifact.id === open);
  if (detail.artifacts.length === 0) return <Empty title="No artifacts">Documents that a task writes are listed here.</Empty>;
  return (
    <>
      <ul class="artifacts">
        {detail.artifacts.map((artifact) => (
          <li key={artifact.id}>
            <button type="button" class="artifact-open" onClick={() => show(artifact.id)}>
              <span class="artifact-name">{visible(artifact.name)}</span>
              <span class="faint">{artifact.type} · <Time at={artifact.createdAt} /></span>
            </button>
            <a class="button small" href={artifactFile(detail.id, artifact.id)} download aria-label={`Download ${visible(artifact.name)}`}>Download</a>
          </li>
        ))}
      </ul>
      {shown && <Reader key={shown.id} artifact={shown} sessionId={detail.id} close={() => show(null)} />}
    </>
  );
}

function Reader({artifact, sessionId, close}: {artifact: Artifact; sessionId: string; close(): void}) {
  const [content, setContent] = useState<string | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  const [plain, setPlain] = useState(false);
  useEffect(() => void readArtifact(sessionId, artifact.id).then((full) => setContent(full.content ?? ''), setProblem), [artifact.id]);
  return (
    <Dialog title={visible(artifact.name)} close={close} wide>
      <div class="artifact-tools">
        <span class="faint grow">{artifact.type} · <Time at={artifact.createdAt} /></span>
        <label><input type="checkbox" checked={plain} onChange={(event) => setPlain(event.currentTarget.checked)} /> As written</label>
        {content !== null && <CopyButton text={content} />}
        <a class="button small" href={artifactFile(sessionId, artifact.id)} download>Download</a>
      </div>
      <ErrorBox error={problem} />
      {content === null && !problem && <Spinner />}
      {content !== null && (plain
        ? <pre class="artifact-plain" tabIndex={0} aria-label="Text"><VisibleText text={content} /></pre>
        : <div class="artifact-text"><Markdown text={content} /></div>)}
    </Dialog>
  );
}
