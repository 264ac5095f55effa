// Files that are dragged over the panel.
import type {ComponentChildren} from 'preact';
import {useRef, useState} from 'preact/hooks';

export function DropZone({drop, children}: {drop: (files: File[]) => void; children: ComponentChildren}) {
  const [over, setOver] = useState(false);
  const depth = useRef(0);  // Each child that the pointer enters or leaves says so, too.
  const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
  const end = () => {
    depth.current = 0;
    setOver(false);
  };
  return (
    <div class="chat-panel"
      onDragEnter={(event) => { if (hasFiles(event)) { ++depth.current; setOver(true); } }}
      onDragOver={(event) => { if (hasFiles(event)) event.preventDefault(); }}
      onDragLeave={() => { if (--depth.current <= 0) end(); }}
      onDrop={(event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        end();
        drop([...event.dataTransfer!.files]);
      }}>
      {children}
      {over && <div class="drop-sheet"><p>Drop files to attach them</p></div>}
    </div>
  );
}
