import { ChangeFeed } from '#persistence';
import { callAs, REQUESTED_ROWS, expectedAt, type Answer } from './access/access-call';
import {
  APP_PASSWORD_CALLERS,
  APP_PASSWORD_CALLER_NAMES,
  appPasswordCell,
  isAsked,
} from './access/app-password-callers';
import { AccessWorld } from './access/access-world';
import {
  isAskedInSession,
  SESSION_CALLER_NAMES,
  SESSION_CALLERS,
  sessionCell,
} from './access/session-callers';
import { isForTokens, TOKEN_CALLERS } from './access/token-callers';
import { KeptTables } from './access/kept-tables';
import { CALLERS, readMatrix, type Caller, type MatrixRow } from './access/matrix-rows';
import { routesOf, type Route } from './route-table';
import { isFullForm } from '../../libs/testing/src/full-form';

/** Some rows repeat slow calls, such as those that run the doctor. */
const ROW_TIMEOUT_MS = 180_000;
/** Callers at the other paths of a row, which lead to the same controller: all of them in `npm run test:long`. */
const CROSS_SECTION: readonly Caller[] = isFullForm ? CALLERS : ['anonymous', 'stranger', 'owner'];
const matrix = readMatrix();

let world: AccessWorld;
let tables: KeptTables;
let routes: Route[];

beforeAll(async () => {
  world = await AccessWorld.start();
  const { nest } = world.sharing.gateway.instance.app;
  tables = await KeptTables.keep(world.pool, nest.get(ChangeFeed, { strict: false }));
  routes = routesOf(nest);
});
afterAll(() => world?.stop());

const spell = ({ method, path }: Route): string => `${method} ${path}`;

/** The routes of a row. */
function routesIn({ methods, paths }: MatrixRow): Route[] {
  return paths.flatMap((path) => {
    const all = routes.filter((route) => route.path === path).map(({ method }) => method);
    return (methods.includes('*') ? all : methods).map((method) => ({ method, path }));
  });
}

/** Undoes the changes of a call. @returns names of the tables that it changed */
async function putBack(): Promise<string[]> {
  await world.eventsHandled();
  const changed = await tables.changed();
  if (changed.length > 0) await tables.restore(changed);
  return changed;
}

/** Whether a call changed something, compared with its answer. @returns the differences from the expectation */
async function changeSurprises(who: string, { changes, reads }: Answer): Promise<string[]> {
  const changed = await putBack();
  if (changes && changed.length === 0) return [`${who} changed nothing`];
  return !changes && changed.length > 0
    ? [`${who} changed ${changed.join(', ')}${reads ? ' by reading' : ''}`]
    : [];
}

/** Compares an answer with the cell for a caller without a column, and checks its changes. @returns the differences */
async function surprisesIn(answer: Answer, cell: string, route: Route, name: string): Promise<string[]> {
  const surprises: string[] = [];
  const who = `${spell(route)} by ${name}`;
  const expected = expectedAt(cell, route.path);
  if (answer.said !== expected && !(answer.happensOnce && expected.startsWith('2')))
    surprises.push(`${who} was answered ${answer.said}, not ${expected}`);
  if (answer.leaks) surprises.push(`${who} shows content`);
  if (!answer.reads) surprises.push(...(await changeSurprises(who, answer)));
  return surprises;
}

/** Makes the call by app passwords. @returns the differences from the row */
async function appPasswordSurprises(row: MatrixRow, route: Route): Promise<string[]> {
  const surprises: string[] = [];
  for (const name of APP_PASSWORD_CALLER_NAMES.filter((each) => isAsked(row, each))) {
    const { account } = APP_PASSWORD_CALLERS[name];
    const answer = await callAs(world, row, route, account, world.appPasswords[name]);
    const cell = appPasswordCell(row, CALLERS, name, answer.isReading);
    surprises.push(...(await surprisesIn(answer, cell, route, name)));
  }
  return surprises;
}

/** Makes the call by tokens of the issuer, which get the answers of their accounts. @returns the differences from the row */
async function tokenSurprises(row: MatrixRow, route: Route): Promise<string[]> {
  const surprises: string[] = [];
  for (const caller of isForTokens(row) ? TOKEN_CALLERS : []) {
    const answer = await callAs(world, row, route, caller, world.tokens[caller]);
    const cell = row.cells[CALLERS.indexOf(caller)]!;
    surprises.push(...(await surprisesIn(answer, cell, route, `a token of ${caller}`)));
  }
  return surprises;
}

/** Makes the call in sessions of browsers. @returns the differences from the row */
async function sessionSurprises(row: MatrixRow, route: Route): Promise<string[]> {
  const surprises: string[] = [];
  for (const name of SESSION_CALLER_NAMES.filter((each) => isAskedInSession(row, each))) {
    const answer = await callAs(world, row, route, SESSION_CALLERS[name].account, world.sessions[name]);
    surprises.push(...(await surprisesIn(answer, sessionCell(row, CALLERS, name), route, name)));
  }
  return surprises;
}

/** Makes the call as these callers. @returns the differences from the row */
async function surprisesOf(row: MatrixRow, route: Route, callers: readonly Caller[]): Promise<string[]> {
  const surprises: string[] = [];
  for (const caller of callers) {
    const answer = await callAs(world, row, route, caller);
    const { said, reads, leaks } = answer;
    const who = `${spell(route)} by ${caller}`;
    const expected = expectedAt(row.cells[CALLERS.indexOf(caller)]!, route.path);
    if (said !== expected) surprises.push(`${who} was answered ${said}, not ${expected}`);
    if (leaks) surprises.push(`${who} shows content`);
    // Changes of read-only calls are checked once after the last one.
    if (reads && caller !== callers.at(-1)) continue;
    surprises.push(...(await changeSurprises(reads ? spell(route) : who, answer)));
  }
  return surprises;
}

it('has a row for every route, and no other row', () => {
  const covered = new Set(matrix.flatMap(routesIn).map(spell));
  const served = new Set(routes.map(spell));
  expect([...served].filter((route) => !covered.has(route))).toEqual([]);
  expect([...covered].filter((route) => !served.has(route))).toEqual([]);
  expect(served.size).toBeGreaterThan(200);
});

it('has no row twice, and a request for every row', () => {
  const keys = matrix.map(({ key }) => key);
  expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([]);
  expect(REQUESTED_ROWS.filter((key) => !keys.includes(key))).toEqual([]);
});

it.each(matrix.map((row) => [row.key, row] as const))(
  '%s answers each caller as in the table',
  async (_key, row) => {
    const surprises: string[] = [];
    const methods = Map.groupBy(routesIn(row), ({ method }) => method);
    for (const [route, ...others] of methods.values()) {
      surprises.push(...(await surprisesOf(row, route!, CALLERS)));
      for (const other of others) surprises.push(...(await surprisesOf(row, other, CROSS_SECTION)));
    }
    for (const [route] of methods.values())
      for (const ask of [appPasswordSurprises, tokenSurprises, sessionSurprises])
        surprises.push(...(await ask(row, route!)));
    expect(surprises).toEqual([]);
  },
  ROW_TIMEOUT_MS,
);
