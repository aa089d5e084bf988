import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Callers in the order of the table's columns. */
export const CALLERS = [
  'anonymous',
  'stranger',
  'pending',
  'accepted',
  'member',
  'owner',
  'initiator',
  'groupAdmin',
  'admin',
  'partner',
  'another',
] as const;
export type Caller = (typeof CALLERS)[number];

/** One line of the table. */
export interface MatrixRow {
  /** `*` for all methods of its paths. */
  readonly methods: readonly string[];
  /** In the form of the controllers. */
  readonly paths: readonly string[];
  /** Distinguishes several rows of one route; empty otherwise. */
  readonly about: string;
  /** The text of the line, for a search of its request. */
  readonly key: string;
  readonly cells: readonly string[];
  /** App passwords to which the row applies. */
  readonly scope: RowScope;
}

const SCOPES = ['files', 'sharing', 'admin', 'any', 'own', 'never', '-'] as const;
type RowScope = (typeof SCOPES)[number];

const LINE = /^(\S+) +(\S+)(?: +\[([^\]]+)\])? +((?:\d{3} +){10}\d{3}) +(\S+)$/;

/** @throws Error for an invalid line */
export function readMatrix(file = join(__dirname, 'access-matrix.txt')): MatrixRow[] {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'));
  return lines.map(readRow);
}

function readRow(line: string): MatrixRow {
  const [, method, path, about = '', cells, last] = LINE.exec(line) ?? [];
  const scope = SCOPES.find((each) => each === last);
  if (method === undefined || !scope) throw new Error(`not a row of the matrix: ${line}`);
  return {
    methods: alternatives(method),
    paths: alternatives(path!),
    about,
    key: [method, path, ...(about ? [`[${about}]`] : [])].join(' '),
    cells: cells!.split(/ +/),
    scope,
  };
}

/** `{ocs}/a` as `/ocs/v1.php/a` and `/ocs/v2.php/a`, and `/{a,b}` as `/a` and `/b`. */
function alternatives(text: string): string[] {
  const braces = /^(.*)\{([^{}]*)\}(.*)$/.exec(text);
  if (!braces) return [text];
  const [, before, inner, after] = braces;
  const choices = inner === 'ocs' ? ['/ocs/v1.php', '/ocs/v2.php'] : inner!.split(',');
  return choices.flatMap((choice) => alternatives(`${before}${choice}${after}`));
}
