import type { INestApplicationContext } from '@nestjs/common';
import { AccountDirectory, BrowserSessions } from '#identity';
import type { Strength } from '#persistence';
import type { SharingGateway } from '../../sharing/sharing-gateway';
import { UIDS } from './held';
import type { Caller, MatrixRow } from './matrix-rows';
import { isFullForm } from '../../../libs/testing/src/full-form';

/** A caller who is signed in in a browser. */
interface SessionCaller {
  readonly account: Extract<Caller, 'owner' | 'admin' | 'stranger'>;
  readonly strength: Strength;
  /** Whether it is another user with the same rights, in a group that needs a second factor. */
  readonly isCareful?: true;
}

/** The sessions that are tried on every route, by their names in the results. */
export const SESSION_CALLERS = {
  'a session': { account: 'owner', strength: 'one_factor' },
  'a session with a second factor': { account: 'owner', strength: 'two_factors' },
  'an administrator’s session': { account: 'admin', strength: 'one_factor' },
  'an administrator’s session with a second factor': { account: 'admin', strength: 'two_factors' },
  'a session that lacks its second factor': { account: 'stranger', strength: 'one_factor', isCareful: true },
  'a session that has its second factor': { account: 'stranger', strength: 'two_factors', isCareful: true },
} satisfies Record<string, SessionCaller>;

export type SessionCallerName = keyof typeof SESSION_CALLERS;

/** One session that gets the answers of its account, and one that is refused nearly everywhere. */
const CROSS_SECTION: readonly SessionCallerName[] = ['a session', 'a session that lacks its second factor'];

/** The tried ones: all of them in `npm run test:long`. */
export const SESSION_CALLER_NAMES: readonly SessionCallerName[] = isFullForm
  ? (Object.keys(SESSION_CALLERS) as SessionCallerName[])
  : CROSS_SECTION;

/** Headers of requests that our own page makes in a session. */
type SessionHeaders = Readonly<Record<'cookie' | 'requesttoken' | 'sec-fetch-site', string>>;

/** By the names of the tried ones. */
export type OpenedSessions = Readonly<Partial<Record<SessionCallerName, SessionHeaders>>>;

const CAREFUL = 'cass';
const NEED_SECOND_FACTOR = `INSERT INTO setting (app, key, value) VALUES ('system', 'second_factor_groups', '["careful"]')`;

/** Opens all sessions. @returns headers of their requests */
export async function openSessions(
  sharing: SharingGateway,
  nest: INestApplicationContext,
): Promise<OpenedSessions> {
  await sharing.addUsers(CAREFUL);
  await sharing.addGroup('careful', CAREFUL);
  await sharing.entries(CAREFUL);
  await sharing.query(NEED_SECOND_FACTOR);
  // Another browser for everybody, so that there is one to sign out.
  for (const uid of [...Object.values(UIDS), CAREFUL]) await openSession(nest, uid, 'one_factor');
  const opened: [string, SessionHeaders][] = [];
  for (const name of SESSION_CALLER_NAMES) {
    const { account, strength, isCareful }: SessionCaller = SESSION_CALLERS[name];
    const cookie = await openSession(nest, isCareful ? CAREFUL : UIDS[account]!, strength);
    const reply = await fetch(`${sharing.gateway.url}/web/session`, { headers: { cookie } });
    const { requestToken } = (await reply.json()) as { requestToken: string };
    opened.push([name, { cookie, requesttoken: requestToken, 'sec-fetch-site': 'same-origin' }]);
  }
  return Object.fromEntries(opened);
}

/** @returns the cookie of the browser */
async function openSession(nest: INestApplicationContext, uid: string, strength: Strength): Promise<string> {
  const account = await nest.get(AccountDirectory, { strict: false }).find(uid);
  const browser = { userAgent: 'a browser', address: '127.0.0.1' };
  const set = await nest.get(BrowserSessions, { strict: false }).open(account!, strength, browser);
  return set.split(';')[0]!;
}

/** Paths where a session reads its missing requirements, and meets them. */
const FOR_SECOND_FACTOR = /^\/web\/(session$|second-factor)/;

/** It takes a password alone: browsers send their session with the link of any page. */
const NOT_IN_SESSIONS = '/ocs/v1.php/core/getapppassword';

/** The expected cell for a caller in a session: the account's cell, and 403 if it has to set up a second factor first. */
export function sessionCell(
  { cells, paths }: MatrixRow,
  columns: readonly Caller[],
  name: SessionCallerName,
): string {
  const { account, strength, isCareful }: SessionCaller = SESSION_CALLERS[name];
  const lacks = isCareful === true && strength === 'one_factor';
  const isRefused = paths[0] === NOT_IN_SESSIONS || (lacks && !FOR_SECOND_FACTOR.test(paths[0]!));
  return isRefused ? '403' : cells[columns.indexOf(account)]!;
}

/** Whether a row applies to this caller: administrators are for routes of administrators. */
export const isAskedInSession = ({ scope }: MatrixRow, name: SessionCallerName): boolean =>
  scope !== '-' && (SESSION_CALLERS[name].account !== 'admin' || scope === 'admin');
