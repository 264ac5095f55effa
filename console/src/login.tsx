import {useState} from 'preact/hooks';
import {logIn} from './api/auth';
import {Logo} from './logo';
import {ErrorBox} from './ui/parts';

export function Login() {
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.target as HTMLFormElement);
    setBusy(true);
    try {
      await logIn(String(form.get('username')), String(form.get('password')));
    } catch (problem) {
      setError(problem);
    }
    setBusy(false);
  };
  return (
    <main class="login">
      <form class="login-card" onSubmit={(event) => void submit(event)}>
        <Logo size={40} />
        <h1>Braidlog</h1>
        <label>Name<input class="input" name="username" autocomplete="username" autocapitalize="none" required autofocus /></label>
        <label>Password<input class="input" name="password" type="password" autocomplete="current-password" required /></label>
        <ErrorBox error={error} />
        <button type="submit" class="button primary" disabled={busy}>{busy ? 'Logging in…' : 'Log in'}</button>
        <p class="faint">An operator makes users with <code>braidlog user add NAME</code>.</p>
      </form>
    </main>
  );
}
