import { accountInUserId, isUuid } from './encoded-user';
import { parseHostAndPath, peerKeyOf, type HostAndPath, type Scheme } from './host-and-path';

declare const parsed: unique symbol;

/** `user@host`: an account on some instance. Only `parseCloudId` and `localCloudId` make one. */
export interface FederatedCloudId extends HostAndPath {
  readonly [parsed]: true;
  /** The text as it was written, without surrounding space. */
  readonly raw: string;
  /** In composed Unicode; case-sensitive. A repeated `@host` at its end is removed. */
  readonly user: string;
  /** Includes the repeated host: a server whose users sign in by e-mail address knows `bob@a.org` at `a.org` only in this form. */
  readonly userAsWritten: string;
  /** The account: the content of an encoded user id, otherwise the user. */
  readonly person: string;
  /** null if none was written. */
  readonly scheme: Scheme | null;
  /** `person@host[:port][/path]`: the same for two spellings of one account. */
  readonly canonical: string;
}

export type CloudIdRefusal = 'too-long' | 'no-separator' | 'user-invalid' | 'host-invalid';

/** Text that is no federated cloud id. */
export class CloudIdInvalid extends Error {
  constructor(readonly reason: CloudIdRefusal) {
    super(`not a federated cloud id: ${reason}`);
  }
}

const MAX_LENGTH = 512;
const MAX_USER = 255;
/** Control characters, and characters that change the reading direction. */
const UNSEEN = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;

/**
 * Reads every spelling that servers of this field send (federation-facts 4):
 * `bob@Cloud.Example.org`, `bob@https://host:8443/owncloud/`, `bob@host/index.php/s/x`, `bob@mail.org@host`,
 * `id@host@https://host`, `bob@[2001:db8::1]:8443`.
 *
 * The user ends at the last `@` before the first `/` or `:`, as ownCloud and Nextcloud split it.
 * @throws CloudIdInvalid
 */
export function parseCloudId(text: string): FederatedCloudId {
  const raw = text.trim();
  if (raw.length > MAX_LENGTH) throw new CloudIdInvalid('too-long');
  if (!raw.isWellFormed() || UNSEEN.test(raw)) throw new CloudIdInvalid('user-invalid');
  const [user, remote] = split(raw.replaceAll('\\', '/'));
  const scheme = (/^(https?):\/\//i.exec(remote)?.[1]?.toLowerCase() ?? null) as Scheme | null;
  const place = parseHostAndPath(withoutDoubledHost(remote.replace(/^https?:\/\//i, '')), scheme);
  if (!place) throw new CloudIdInvalid('host-invalid');
  return assemble(raw, user.normalize('NFC'), scheme, place);
}

/** The cloud id of one of our accounts. @param publicUrl without a trailing slash */
export function localCloudId(uid: string, publicUrl: string): FederatedCloudId {
  return parseCloudId(`${uid}@${publicUrl}`);
}

function split(text: string): [user: string, remote: string] {
  const end = text.search(/[/:]/);
  const at = text.lastIndexOf('@', end === -1 ? text.length : end);
  if (at < 1 || at === text.length - 1) throw new CloudIdInvalid('no-separator');
  return [text.slice(0, at), text.slice(at + 1)];
}

/** oCIS and OpenCloud write `id@https://host@host`. Two different hosts are a trick, and are refused. */
function withoutDoubledHost(remote: string): string {
  const doubled = /^([^@/]+)@([^@/]+)(.*)$/.exec(remote);
  return doubled && doubled[1]!.toLowerCase() === doubled[2]!.toLowerCase()
    ? `${doubled[2]}${doubled[3]}`
    : remote;
}

function assemble(
  raw: string,
  userAsWritten: string,
  scheme: Scheme | null,
  place: HostAndPath,
): FederatedCloudId {
  const user = withoutRepeatedHost(userAsWritten, place);
  if (user.length > MAX_USER || user.trim() === '') throw new CloudIdInvalid('user-invalid');
  const person = accountInUserId(user, place) ?? user;
  const canonical = `${person}@${peerKeyOf(place)}`;
  return { raw, user, userAsWritten, person, scheme, ...place, canonical } as FederatedCloudId;
}

/** The same server with another user. @throws CloudIdInvalid */
export function withUser(id: FederatedCloudId, user: string): FederatedCloudId {
  return parseCloudId(`${user}@${id.scheme === null ? '' : `${id.scheme}://`}${peerKeyOf(id)}`);
}

/** Names under which one account is looked for in stored cloud ids. */
export interface AccountNames {
  /** User ids that mean this account. */
  readonly users: readonly string[];
  /** Decoded accounts that mean this account. */
  readonly persons: readonly string[];
}

/**
 * All names of an account. The account in an encoded id is compared with plain user ids only if it is a UUID: otherwise a name
 * that a user chose would match the account whose name it encodes.
 */
export function namesOf({ user, userAsWritten, person }: FederatedCloudId): AccountNames {
  const written = [...new Set([user, userAsWritten])];
  const users = person !== user && isUuid(person) ? [...written, person] : written;
  return { users, persons: [...new Set([...written, person])] };
}

/** oCIS, OpenCloud and older reva send `id@host@host`. */
function withoutRepeatedHost(user: string, place: HostAndPath): string {
  const endings = [`@${place.host}`, `@${peerKeyOf({ ...place, path: '' })}`];
  const ending = endings.find((text) => user.length > text.length && user.toLowerCase().endsWith(text));
  return ending === undefined ? user : withoutRepeatedHost(user.slice(0, -ending.length), place);
}

/** Whether both name the same account. @param ignoreCase for servers that fold the case of login names */
export function sameAccount(a: FederatedCloudId, b: FederatedCloudId, ignoreCase = false): boolean {
  if (peerKeyOf(a) !== peerKeyOf(b)) return false;
  return ignoreCase ? a.person.toLowerCase() === b.person.toLowerCase() : a.person === b.person;
}
