// A form made from a JSON schema, as values: which input fits a schema, what stands in the inputs (a draft), and the JSON text
// that the draft means. The text is written directly, so that a number goes out as it was typed.
import {parseExact, printLine} from '../../ui/exact_json';

export interface Schema {
  type?: string | string[];
  title?: string;
  description?: string;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  default?: unknown;
  [keyword: string]: unknown;
}

export type FieldKind = 'text' | 'number' | 'boolean' | 'choice' | 'list' | 'group' | 'json';
export type Draft = string | Draft[] | {[name: string]: Draft};
export type Faults = Map<string, string>; // path → what is wrong there

const DEPTH_MAX = 5;
const BEYOND_FORMS = ['anyOf', 'oneOf', 'allOf', 'not', '$ref', 'if', 'patternProperties', 'prefixItems'];

export function kindOf(schema: Schema, depth = 0): FieldKind {
  if (BEYOND_FORMS.some((keyword) => keyword in schema)) return 'json';
  if (Array.isArray(schema.enum)) return 'choice';
  const types = (Array.isArray(schema.type) ? schema.type : [schema.type]).filter((type) => type !== 'null');
  if (types.length !== 1) return 'json';
  switch (types[0]) {
    case 'string': return 'text';
    case 'integer': case 'number': return 'number';
    case 'boolean': return 'boolean';
    case 'array': return schema.items && depth < DEPTH_MAX ? 'list' : 'json';
    case 'object': return schema.properties && depth < DEPTH_MAX ? 'group' : 'json';
    default: return 'json';
  }
}

export const isWhole = (schema: Schema): boolean => [schema.type].flat().includes('integer');

// What stands in the inputs at first: what the schema has as default, else nothing.
export function draftOf(schema: Schema, depth = 0, value: unknown = schema.default): Draft {
  switch (kindOf(schema, depth)) {
    case 'group': {
      const given = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
      return Object.fromEntries(Object.entries(schema.properties!).map(([name, part]) => [name, draftOf(part, depth + 1, given[name] ?? part.default)]));
    }
    case 'list':
      return Array.isArray(value) ? value.map((item) => draftOf(schema.items!, depth + 1, item)) : [];
    case 'choice': {
      const place = schema.enum!.findIndex((choice) => JSON.stringify(choice) === JSON.stringify(value));
      return place < 0 ? '' : String(place);
    }
    case 'json':
      return value === undefined ? '' : JSON.stringify(value, null, 2);
    default:
      return value === undefined || value === null ? '' : String(value);
  }
}

// The JSON of a draft; undefined when it is left out. What is wrong is put into `faults`.
export function jsonOf(schema: Schema, draft: Draft, needed: boolean, faults: Faults, path = '', depth = 0): string | undefined {
  const kind = kindOf(schema, depth);
  if (kind === 'group') return groupJson(schema, draft as {[name: string]: Draft}, needed, faults, path, depth);
  if (kind === 'list') {
    const items = (draft as Draft[]).map((item, i) => jsonOf(schema.items!, item, true, faults, `${path}/${i}`, depth + 1));
    return items.length === 0 && !needed ? undefined : `[${items.join(', ')}]`;
  }
  const text = draft as string;
  if (text === '') {
    if (needed) faults.set(path, 'is needed');
    return undefined;
  }
  switch (kind) {
    case 'text': return JSON.stringify(text);
    case 'boolean': return text;
    case 'choice': return JSON.stringify(schema.enum![Number(text)]);
    case 'number': return numberJson(schema, text.trim(), faults, path);
    default: return jsonText(text, faults, path);
  }
}

function groupJson(schema: Schema, draft: {[name: string]: Draft}, needed: boolean, faults: Faults, path: string, depth: number) {
  // A group that may be left out is, unless something in it was filled in: only then its own needs count.
  const own: Faults = new Map();
  const members: string[] = [];
  for (const [name, part] of Object.entries(schema.properties!)) {
    const json = jsonOf(part, draft[name] ?? draftOf(part, depth + 1), (schema.required ?? []).includes(name), own, `${path}/${name}`, depth + 1);
    if (json !== undefined) members.push(`${JSON.stringify(name)}: ${json}`);
  }
  if (!needed && members.length === 0) {
    for (const [place, fault] of own) if (fault !== 'is needed') faults.set(place, fault);
    return undefined;
  }
  for (const [place, fault] of own) faults.set(place, fault);
  return `{${members.join(', ')}}`;
}

function numberJson(schema: Schema, text: string, faults: Faults, path: string): string | undefined {
  if (!/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text)) faults.set(path, 'is no number');
  else if (isWhole(schema) && !/^-?\d+$/.test(text)) faults.set(path, 'must be a whole number');
  else return text;
  return undefined;
}

export function jsonText(text: string, faults: Faults, path: string): string | undefined {
  try {
    return printLine(parseExact(text));
  } catch (error) {
    faults.set(path, `is no JSON: ${error instanceof Error ? error.message : error}`);
    return undefined;
  }
}
