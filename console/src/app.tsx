// The shell: navigation, the open panel, what is said about the connection.
import type {ComponentType} from 'preact';
import {useEffect, useErrorBoundary, useState} from 'preact/hooks';
import {logOut} from './api/auth';
import {me} from './api/http';
import {connection} from './hub/client';
import {KeyHelp, listenForKeys, showKeys} from './keys';
import {Login} from './login';
import {Logo} from './logo';
import {panels, type Panel} from './panels/registry';
import {homePanel, href, route} from './router';
import {nextTheme, theme} from './theme';
import {Dialog} from './ui/dialog';
import {ErrorBox, Icon, Spinner} from './ui/parts';
import {Toasts} from './ui/toast';

export function App() {
  if (me.value === null) return <Login />;
  return <Shell />;
}

function Shell() {
  useEffect(listenForKeys, []);
  const shown = panels.filter((panel) => !panel.adminOnly || me.value?.role === 'admin');
  const open = shown.find((panel) => panel.name === route.value.panel) ?? shown.find((panel) => panel.name === homePanel)!;
  useEffect(() => { document.title = `${open.title} · Braidlog`; }, [open]);
  return (
    <div class="shell">
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); document.getElementById('main')!.focus(); }}>Skip to content</a>
      <nav class="nav" aria-label="Panels">
        <a class="brand" href={href(homePanel)} aria-label="Braidlog, start"><Logo /><span>Braidlog</span></a>
        <ul class="nav-list">
          {shown.map((panel) => <li key={panel.name} class={panel.first ? '' : 'nav-rest'}><NavLink panel={panel} open={panel === open} /></li>)}
          <li class="nav-more"><More panels={shown.filter((panel) => !panel.first)} open={open} /></li>
        </ul>
        <Foot />
      </nav>
      <main id="main" class="main" tabIndex={-1}>
        <Lost />
        {me.value ? <PanelView key={open.name} panel={open} /> : <div class="centre"><Spinner /></div>}
      </main>
      <Toasts />
      <KeyHelp />
    </div>
  );
}

function NavLink({panel, open}: {panel: Panel; open: boolean}) {
  const badge = panel.badge?.value ?? 0;
  return (
    <a class="nav-link" href={href(panel.name)} aria-current={open ? 'page' : undefined}>
      <Icon path={panel.icon} />
      <span class="nav-word">{panel.title}</span>
      {badge > 0 && <span class="nav-badge" aria-label={`${badge} waiting`}>{badge > 99 ? '99+' : badge}</span>}
    </a>
  );
}

// On a phone there is room for a few; the others, and what stands at the foot elsewhere, are behind this.
function More({panels: rest, open}: {panels: Panel[]; open: Panel}) {
  const [shown, setShown] = useState(false);
  const close = () => setShown(false);
  return (
    <>
      <button type="button" class="nav-link" aria-haspopup="dialog" onClick={() => setShown(true)}>
        <Icon path="M5 11a1 1 0 1 0 0 2 1 1 0 0 0 0-2z M12 11a1 1 0 1 0 0 2 1 1 0 0 0 0-2z M19 11a1 1 0 1 0 0 2 1 1 0 0 0 0-2z" /><span class="nav-word">More</span>
      </button>
      {shown && (
        <Dialog title="Braidlog" close={close}>
          <ul class="nav-sheet" onClick={(event) => { if ((event.target as Element).closest('a')) close(); }}>
            {rest.map((panel) => <li key={panel.name}><NavLink panel={panel} open={panel === open} /></li>)}
          </ul>
          <Foot />
        </Dialog>
      )}
    </>
  );
}

const themeWords = {system: 'Theme: system', light: 'Theme: light', dark: 'Theme: dark'};

function Foot() {
  return (
    <div class="nav-foot">
      <button type="button" class="nav-link" onClick={nextTheme}>
        <Icon path="M12 3a9 9 0 1 0 0 18V3z M12 3a9 9 0 0 1 0 18" /><span class="nav-word">{themeWords[theme.value]}</span>
      </button>
      <button type="button" class="nav-link" onClick={showKeys}>
        <Icon path="M3 7h18v10H3z M7 13h10 M7 10h.01 M11 10h.01 M15 10h.01" /><span class="nav-word">Keys</span>
      </button>
      {me.value && (
        <div class="nav-user">
          <span class="nav-user-name" title={me.value.role}>{me.value.username}</span>
          <button type="button" class="button small quiet" onClick={() => void logOut()}>Log out</button>
        </div>
      )}
    </div>
  );
}

// Said only when it lasts: a restart of the server is over in a second.
function Lost() {
  const lost = connection.value === 'lost';
  const [shown, setShown] = useState(false);
  useEffect(() => {
    if (!lost) return setShown(false);
    const timer = setTimeout(() => setShown(true), 800);
    return () => clearTimeout(timer);
  }, [lost]);
  return <div role="status">{shown && <div class="lost"><Spinner label="" />The connection is lost. It is tried again by itself; nothing is missed.</div>}</div>;
}

const loaded = new Map<string, ComponentType>();

function PanelView({panel}: {panel: Panel}) {
  const [component, setComponent] = useState<ComponentType | null>(() => loaded.get(panel.name) ?? null);
  const [failure, setFailure] = useState<unknown>(null);
  const [error, resetError] = useErrorBoundary();
  const load = () => {
    setFailure(null);
    panel.load().then((module) => {
      loaded.set(panel.name, module.default);
      setComponent(() => module.default);
    }, setFailure);
  };
  useEffect(() => { if (!component) load(); }, []);
  if (error) return <div class="page"><ErrorBox error={error} retry={resetError} /></div>;
  if (failure) return <div class="page"><ErrorBox error={failure} retry={load} /></div>;
  const Component = component;
  return Component ? <Component /> : <div class="centre"><Spinner /></div>;
}
