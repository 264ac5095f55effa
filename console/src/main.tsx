import {render} from 'preact';
import {App} from './app';
import {readMe} from './api/auth';
import {applyTheme} from './theme';

applyTheme();
// A file that is dropped beside the place for files would otherwise take the place of the page.
for (const type of ['dragover', 'drop']) addEventListener(type, (event) => event.preventDefault());
void readMe();
render(<App />, document.getElementById('app')!);
