import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import diff from 'highlight.js/lib/languages/diff';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';

for (const [name, language] of Object.entries({bash, diff, javascript, json, python, xml, yaml})) {
  hljs.registerLanguage(name, language);
}

hljs.registerAliases(['ts', 'tsx', 'typescript'], {languageName: 'javascript'});

// HTML with classes, or null for a language that is not known here.
export function highlight(code: string, language: string): string | null {
  return hljs.getLanguage(language) ? hljs.highlight(code, {language, ignoreIllegals: true}).value : null;
}
