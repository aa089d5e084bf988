import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { REPOSITORY } from '../../../libs/testing/src';
import type { ClusterObject } from '../cluster-objects';
import { parseTemplate, type Expression, type Node } from './template-parser';

export const CHART = join(REPOSITORY, 'charts/drawbridge');

type Values = Readonly<Record<string, unknown>>;
type Scope = Map<string, unknown>;
type Functions = Readonly<Record<string, (...args: never[]) => unknown>>;

/**
 * Renders the chart as `helm template` does. It supports only the part of the language that the chart uses, and throws
 * at other words.
 * @param values values that override those of the chart
 * @returns the text of each template
 */
export function renderChart(values: Values, namespace = 'north'): Map<string, string> {
  const directory = join(CHART, 'templates');
  const chart = parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8')) as Values;
  const defaults = parse(readFileSync(join(CHART, 'values.yaml'), 'utf8')) as Values;
  const root = {
    Values: laidOver(defaults, values),
    Chart: { AppVersion: String(chart.appVersion), Name: chart.name },
    Release: { Name: 'drawbridge', Namespace: namespace },
  };
  const templates = readdirSync(directory).map(
    (file) => [file, parseTemplate(readFileSync(join(directory, file), 'utf8'))] as const,
  );
  const renderer = new Renderer(templates.flatMap(([, nodes]) => nodes));
  return new Map(
    templates
      .filter(([file]) => !file.startsWith('_'))
      .map(([file, nodes]) => [file, renderer.render(nodes, root, new Map([['$', root]]))]),
  );
}

/** The objects of the chart with these values. */
export function objectsOfChart(values: Values, namespace?: string): ClusterObject[] {
  return [...renderChart(values, namespace)]
    .filter(([file]) => file !== 'NOTES.txt')
    .flatMap(([file, text]) =>
      parseAllDocuments(text).flatMap((document) => {
        if (document.errors.length > 0) throw new Error(`${file}: ${document.errors.join('\n')}\n${text}`);
        const object = document.toJS() as ClusterObject | null;
        return object === null ? [] : [object];
      }),
    );
}

function laidOver(below: unknown, above: unknown): unknown {
  if (!isMap(below) || !isMap(above)) return above === undefined ? below : above;
  const keys = new Set([...Object.keys(below), ...Object.keys(above)]);
  return Object.fromEntries([...keys].map((key) => [key, laidOver(below[key], above[key])]));
}

const isMap = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Empty values count as false. */
function isTrue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return isMap(value) ? Object.keys(value).length > 0 : Boolean(value);
}

class Renderer {
  private readonly defined = new Map<string, readonly Node[]>();

  constructor(nodes: readonly Node[]) {
    for (const node of nodes) if (node.kind === 'define') this.defined.set(node.name, node.body);
  }

  render(nodes: readonly Node[], dot: unknown, scope: Scope): string {
    return nodes.map((node) => this.one(node, dot, scope)).join('');
  }

  private one(node: Node, dot: unknown, scope: Scope): string {
    switch (node.kind) {
      case 'text':
        return node.text;
      case 'print':
        return shown(this.value(node.value, dot, scope));
      case 'assign':
        scope.set(node.name, this.value(node.value, dot, scope));
        return '';
      case 'define':
        return '';
      case 'if': {
        const branch = node.branches.find(
          ({ when }) => when === undefined || isTrue(this.value(when, dot, scope)),
        );
        return branch === undefined ? '' : this.render(branch.body, dot, new Map(scope));
      }
      case 'range':
        return this.range(node, dot, scope);
    }
  }

  private range(node: Extract<Node, { kind: 'range' }>, dot: unknown, scope: Scope): string {
    const over = this.value(node.over, dot, scope);
    // Keys of a map come in alphabetical order, not in the order of the file.
    const entries: [unknown, unknown][] = Array.isArray(over)
      ? [...over.entries()]
      : Object.entries((over ?? {}) as Values).sort(([one], [other]) => (one < other ? -1 : 1));
    return entries
      .map(([key, value]) => {
        const inner = new Map(scope);
        const names = node.names.length === 1 ? [undefined, node.names[0]] : node.names;
        if (names[0] !== undefined) inner.set(names[0], key);
        if (names[1] !== undefined) inner.set(names[1], value);
        return this.render(node.body, value, inner);
      })
      .join('');
  }

  private value(expression: Expression, dot: unknown, scope: Scope): unknown {
    switch (expression.kind) {
      case 'literal':
        return expression.value;
      case 'path':
        if (expression.from !== '' && !scope.has(expression.from))
          throw new Error(`${expression.from} is not known`);
        return fieldOf(expression.from === '' ? dot : scope.get(expression.from), expression.fields);
      case 'fields':
        return fieldOf(this.value(expression.of, dot, scope), expression.fields);
      case 'call':
        return this.call(expression, dot, scope);
    }
  }

  private call({ name, args }: Extract<Expression, { kind: 'call' }>, dot: unknown, scope: Scope): unknown {
    const values = args.map((arg) => this.value(arg, dot, scope));
    if (name === 'include') {
      const [template, context] = values as [string, unknown];
      const body = this.defined.get(template);
      if (body === undefined) throw new Error(`template ${template} is not defined`);
      return this.render(body, context, new Map([['$', context]]));
    }
    const known = FUNCTIONS[name];
    if (known === undefined) throw new Error(`function ${name} is not known here`);
    return known(...(values as never[]));
  }
}

function fieldOf(from: unknown, fields: readonly string[]): unknown {
  return fields.reduce<unknown>((value, field) => (isMap(value) ? value[field] : undefined), from);
}

const shown = (value: unknown): string =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);

/** The index of the first fitting value, or of the last value. */
function indexOr(values: readonly unknown[], fits: (value: unknown) => boolean): number {
  const at = values.findIndex(fits);
  return at === -1 ? values.length - 1 : at;
}

const FUNCTIONS: Functions = {
  default: (fallback: unknown, value: unknown) => (isTrue(value) ? value : fallback),
  eq: (one: unknown, other: unknown) => one === other,
  ne: (one: unknown, other: unknown) => one !== other,
  gt: (one: number, other: number) => one > other,
  not: (value: unknown) => !isTrue(value),
  and: (...values: unknown[]) => values[indexOr(values, (value) => !isTrue(value))],
  or: (...values: unknown[]) => values[indexOr(values, isTrue)],
  'Files.Get': (file: string) => readFileSync(join(CHART, file), 'utf8'),
  ternary: (yes: unknown, no: unknown, which: unknown) => (isTrue(which) ? yes : no),
  add: (...values: number[]) => values.reduce((sum, value) => sum + Number(value), 0),
  int: (value: unknown) => Math.trunc(Number(value ?? 0)),
  dict: (...entries: unknown[]) =>
    Object.fromEntries(
      entries.flatMap((key, at) => (at % 2 === 0 ? [[key as string, entries[at + 1]]] : [])),
    ),
  get: (map: Values, key: string) => map[key] ?? '',
  join: (between: string, values: string[]) => values.join(between),
  hasPrefix: (prefix: string, text: string) => text.startsWith(prefix),
  replace: (old: string, fresh: string, text: string) => text.replaceAll(old, fresh),
  quote: (value: unknown) => JSON.stringify(shown(value)),
  nindent: (by: number, text: string) => `\n${text.replace(/^(?!$)/gm, ' '.repeat(by))}`,
  sha256sum: (text: string) => createHash('sha256').update(text).digest('hex'),
  urlParse: (text: string) => ({ host: new URL(text).host }),
  fromYaml: (text: string) => parse(text) as unknown,
  toYaml: (value: unknown) => stringify(value).trimEnd(),
  fail: (text: string) => {
    throw new Error(text);
  },
};
