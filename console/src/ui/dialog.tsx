import type {ComponentChildren} from 'preact';
import {useEffect, useRef} from 'preact/hooks';

// A modal dialog: the browser keeps the focus in it, Esc and a click beside it close it, and the focus goes back to where it was.
export function Dialog({title, close, children, wide = false}: {title: string; close: () => void; children: ComponentChildren; wide?: boolean}) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    element.current!.showModal();
    return () => { if (before instanceof HTMLElement) before.focus(); };
  }, []);
  return (
    <dialog ref={element} class={wide ? 'dialog wide' : 'dialog'} aria-label={title} onClose={close}
      onClick={(event) => { if (event.target === element.current) close(); }}>
      <header class="dialog-head">
        <h2>{title}</h2>
        <button type="button" class="button small quiet" onClick={close} aria-label="Close">✕</button>
      </header>
      <div class="dialog-body">{children}</div>
    </dialog>
  );
}
