import { DavFailure } from './dav-failure';
import { ChosenProperties, valueIn } from './chosen-properties';
import type { MultistatusEntry } from './multistatus';
import type { PropfindRequest } from './propfind-request';
import { DAV, propertyKey, type PropertyKey } from './property-name';
import { escapeXml } from './xml-text';

/** The account that requests addresses above the trees. */
export interface Principal {
  readonly uid: string;
  readonly displayName: string;
  readonly groups: readonly string[];
}

const BASE = '/remote.php/dav';
const PRINCIPALS = ['principals'] as const;
const USERS = ['principals', 'users'] as const;
const GROUPS = ['principals', 'groups'] as const;

/**
 * Answers a PROPFIND at an address above the trees: `/remote.php/dav`, its `principals` (RFC 3744), and the folders on the
 * way. Other accounts are not listed here; recipients of shares are searched elsewhere.
 * @param names path segments behind `/remote.php/dav`
 * @throws DavFailure `not-found`; `method-not-allowed` if a list would show all people; `finite-depth`
 */
export function listDirectory(
  names: readonly string[],
  depth: 0 | 1 | 'infinity',
  wanted: PropfindRequest,
  caller: Principal,
): MultistatusEntry[] {
  if (depth === 'infinity') throw new DavFailure('finite-depth', 'Depth infinity is not allowed here');
  const self = entryOf(names, wanted, caller);
  return depth === 0 ? [self] : [self, ...childrenOf(names).map((child) => entryOf(child, wanted, caller))];
}

function childrenOf(names: readonly string[]): readonly (readonly string[])[] {
  if (names.length === 0) return [['files'], PRINCIPALS];
  if (names.length === 1 && names[0] === 'principals') return [USERS, GROUPS];
  if (names.length === 1 || (names.length === 2 && names[0] === 'principals'))
    throw new DavFailure('method-not-allowed', 'People are not listed here');
  return [];
}

function entryOf(names: readonly string[], wanted: PropfindRequest, caller: Principal): MultistatusEntry {
  const values = new Map([...common(caller), ...propertiesOf(names, caller)]);
  const keys = [...values.keys()];
  const chosen = new ChosenProperties(wanted, { all: keys, usual: keys }, valueIn);
  return { href: addressOf(names), propstats: chosen.of(values) };
}

const common = ({ uid }: Principal): [PropertyKey, string][] => [
  [dav('current-user-principal'), hrefTo([...USERS, uid])],
  [dav('principal-collection-set'), hrefTo(USERS) + hrefTo(GROUPS)],
];

/** @throws DavFailure `not-found` */
function propertiesOf(names: readonly string[], caller: Principal): [PropertyKey, string][] {
  const [first, kind, name, ...more] = names;
  const isCollection =
    kind === undefined && (first === undefined || first === 'files' || first === 'principals');
  if (
    isCollection ||
    (first === 'principals' && name === undefined && (kind === 'users' || kind === 'groups'))
  )
    return [[dav('resourcetype'), '<d:collection/>']];
  if (first !== 'principals' || name === undefined || more.length > 0) throw unknown(names);
  if (kind === 'users' && name.toLowerCase() === caller.uid.toLowerCase())
    return [
      ...principal([...USERS, caller.uid], caller.displayName),
      [dav('group-membership'), caller.groups.map((gid) => hrefTo([...GROUPS, gid])).join('')],
    ];
  if (kind === 'groups' && caller.groups.includes(name)) return principal([...GROUPS, name], name);
  throw unknown(names);
}

const principal = (names: readonly string[], displayName: string): [PropertyKey, string][] => [
  [dav('resourcetype'), '<d:principal/>'],
  [dav('displayname'), escapeXml(displayName)],
  [dav('principal-URL'), hrefTo(names)],
];

const dav = (name: string): PropertyKey => propertyKey(DAV, name);

const addressOf = (names: readonly string[]): string =>
  `${[BASE, ...names.map(encodeURIComponent)].join('/')}/`;

const hrefTo = (names: readonly string[]): string => `<d:href>${escapeXml(addressOf(names))}</d:href>`;

const unknown = (names: readonly string[]): DavFailure =>
  new DavFailure('not-found', `Principal with name ${names.at(-1)} not found`);
