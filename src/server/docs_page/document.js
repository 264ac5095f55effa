// What the page knows of OpenAPI: references, types in words, requests as curl lines. Nothing here touches the page.

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

function resolve(api, value) {
  while (value && value.$ref) {
    value = value.$ref.slice(2).split('/').reduce((at, part) => at[part.replace(/~1/g, '/').replace(/~0/g, '~')], api);
  }
  return value;
}

function refName(value) {
  return value && value.$ref ? value.$ref.split('/').pop() : null;
}

// [{id, method, path, operation, parameters, alsoHead}], in the order of the document. A HEAD beside its GET is told
// there and not listed.
function operationsOf(api) {
  const list = [];
  for (const [path, item] of Object.entries(api.paths)) {
    for (const method of METHODS) {
      const operation = item[method];
      if (!operation) continue;
      const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map((p) => resolve(api, p));
      list.push({ id: operation.operationId, method, path, operation, parameters,
                  alsoHead: method === 'get' && 'head' in item });
    }
  }
  return list;
}

// "string · 1–255 characters · default x": what can be said of a schema in one line.
function typeWords(schema) {
  const words = [];
  if ('const' in schema) words.push(JSON.stringify(schema.const));
  else if (schema.enum) words.push(schema.enum.map((value) => JSON.stringify(value)).join(' | '));
  else if (schema.type) words.push([].concat(schema.type).join(' or '));
  const { minimum, maximum, minLength, maxLength, maxItems } = schema;
  if (minimum !== undefined || maximum !== undefined) words.push(`${minimum ?? ''}…${maximum ?? ''}`);
  if (minLength !== undefined || maxLength !== undefined) {
    words.push(`${minLength ?? 0}…${maxLength ?? ''} characters`);
  }
  if (maxItems !== undefined) words.push(`at most ${maxItems}`);
  if (schema.contentEncoding) words.push(schema.contentEncoding);
  if (schema.pattern) words.push(schema.pattern);
  if (schema.default !== undefined) words.push(`default ${JSON.stringify(schema.default)}`);
  return words.join(' · ') || 'any';
}

// [{name, value}] of a media type.
function examplesOf(media) {
  if (media.examples) return Object.entries(media.examples).map(([name, { value }]) => ({ name, value }));
  return 'example' in media ? [{ name: '', value: media.example }] : [];
}

function exampleText(value) {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

function quoted(text) {
  return `'${String(text).replace(/'/g, `'\\''`)}'`;
}

function formArguments(example) {
  const isFile = (name) => name === 'file' || name === 'files';
  return Object.entries(example).flatMap(([name, value]) =>
    [].concat(value).map((one) => `-F ${quoted(`${name}=${isFile(name) ? '@FILE' : one}`)}`));
}

// The request of an operation as one line for a shell.
function curlLine(api, { method, path, operation, parameters }, origin) {
  const example = (parameter) => encodeURIComponent(parameter.example ?? `{${parameter.name}}`);
  let url = path;
  for (const parameter of parameters.filter((p) => p.in === 'path')) {
    url = url.replace(`{${parameter.name}}`, example(parameter));
  }
  const message = parameters.find((p) => p.in === 'query' && p.name === 'message');
  if (message) url += `?message=${example(message)}`;
  const words = ['curl'];
  const success = resolve(api, operation.responses['200']);
  if (success?.content?.['text/event-stream']) words.push('-N');
  if (method !== 'get') words.push('-X', method.toUpperCase());
  if (operation.security.length > 0) words.push('-H "Authorization: Bearer $BRAIDLOG_KEY"');
  const content = resolve(api, operation.requestBody)?.content;
  if (content?.['application/json']) {
    words.push('-H', quoted('Content-Type: application/json'));
    words.push('-d', quoted(JSON.stringify(examplesOf(content['application/json'])[0].value)));
  } else if (content?.['multipart/form-data']) {
    words.push(...formArguments(examplesOf(content['multipart/form-data'])[0].value));
  }
  return [...words, quoted(origin + url)].join(' ');
}
