import {
  CloudIdInvalid,
  parseCloudId,
  peerKeyOf,
  readMailAddress,
  type FederatedCloudId,
  type MailAddress,
} from '#federation/protocol';
import { mayShare, type SharingPolicy } from '../domain/policy';
import { isRemoteTypedIn, searchScopes, wantedSharees } from '../domain/sharees';
import type { Caller, PolicySource } from '../ports/ports';
import type {
  FoundContact,
  FoundSharees,
  FoundUser,
  ShareeDirectory,
  ShareePage,
} from '../ports/sharee-directory';

/** A parsed search for recipients. */
export interface SearchShareesCommand {
  readonly search: string;
  readonly itemType: string | undefined;
  /** Starts at 1. */
  readonly page: number;
  /** Maximum of entries of each kind on a page. */
  readonly perPage: number;
  /** undefined: all types. */
  readonly shareTypes: readonly number[] | undefined;
}

export interface ShareeUser {
  readonly uid: string;
  readonly displayName: string;
  /** Text that distinguishes users with the same name, as configured; null for none. */
  readonly additionalInfo: string | null;
  /** Whether the user is within the scope of the search; otherwise only their whole id matched. */
  readonly withinScope: boolean;
}

interface KnownContact {
  readonly server: string;
  /** Empty if it is not known. */
  readonly mail: string;
  /** Empty if it is not known. */
  readonly organisation: string;
  /** Whether an invitation verified them; otherwise their server or the domain of their mail address names them. */
  readonly isVerified: boolean;
}

export interface ShareeRemote {
  readonly cloudId: string;
  /** Display name of a contact; their cloud id if there is none. */
  readonly label: string;
  /** Set for contacts by invitation, and people in address books; null for a cloud id that was only typed in. */
  readonly contact: KnownContact | null;
}

/** A group of another server, as it was typed in. Whether there is one is known only there. */
export interface ShareeRemoteGroup {
  /** `group@host` as it was typed. */
  readonly cloudId: string;
  readonly name: string;
  readonly server: string;
}

/** Found recipients of each kind, by whole and by partial match; groups by id. */
export interface Sharees {
  readonly users: ShareePage<ShareeUser>;
  readonly groups: ShareePage<string>;
  readonly remotes: ShareePage<ShareeRemote>;
  /** undefined where they cannot be recipients. */
  readonly remoteGroups?: readonly ShareeRemoteGroup[];
}

export type ShareeSearchFailure = 'per-page' | 'page' | 'item-type';

/** Refusal of an invalid search. */
export class ShareeSearchRefused extends Error {
  constructor(readonly failure: ShareeSearchFailure) {
    super(failure);
  }
}

export interface SearchShareesPorts {
  readonly policy: PolicySource;
  readonly directory: ShareeDirectory;
  /** Whether a host, with its port if it has one, belongs to this instance. */
  isOwnDomain(domain: string): boolean;
  /** The federated account that the server of a mail address names for it; undefined if none is known in time. */
  accountOf(uid: string, mail: MailAddress): Promise<FederatedCloudId | undefined>;
}

/** Maximum size of a page; larger requests are cut to it. */
const MAX_PER_PAGE = 1000;
/** Maximum length of a name. */
const MAX_SEARCH = 512;
const NOBODY = { exact: [], parts: [] };
const NOTHING_FOUND: FoundSharees = { users: NOBODY, groups: NOBODY, contacts: NOBODY };
const NO_SHAREES: Sharees = { users: NOBODY, groups: NOBODY, remotes: NOBODY };

/** Possible recipients of the caller's shares. @throws ShareeSearchRefused in the reference's order (4) */
export async function searchSharees(
  ports: SearchShareesPorts,
  caller: Caller,
  command: SearchShareesCommand,
): Promise<Sharees> {
  const { search, itemType, page } = command;
  if (command.perPage <= 0) throw new ShareeSearchRefused('per-page');
  if (page <= 0) throw new ShareeSearchRefused('page');
  const policy = await ports.policy.current();
  if (!mayShare(policy, caller.groups)) return NO_SHAREES;
  if (itemType === undefined) throw new ShareeSearchRefused('item-type');
  if (search.length > MAX_SEARCH) return NO_SHAREES;
  const wanted = wantedSharees(policy, command.shareTypes, itemType);
  const scopes = searchScopes(policy, caller.groups, search);
  const limit = Math.min(command.perPage, MAX_PER_PAGE);
  const found = scopes
    ? await ports.directory.search({
        ...{ uid: caller.uid, search, limit, offset: (page - 1) * limit },
        users: wanted.users ? scopes.users : undefined,
        groups: wanted.groups ? scopes.groups : undefined,
        contacts: wanted.remotes ? scopes.contacts : undefined,
        addressBooks: policy.federation.exchangeAddressBooks,
        exceptGroups: policy.blacklistedReceiverGroups,
      })
    : NOTHING_FOUND;
  const { groups, contacts } = found;
  const users = shownUsers(policy, found.users);
  const typedIn =
    wanted.remotes &&
    page === 1 &&
    !contacts.exact.some(({ byId }) => byId) &&
    isRemoteTypedIn(policy, search, users.exact.length > 0, (domain) => ports.isOwnDomain(domain));
  const isKnown = users.exact.length > 0 || contacts.exact.length > 0;
  const byMail = typedIn && !isKnown ? await foundByMail(ports, policy, caller.uid, search) : undefined;
  const typed = byMail ?? { cloudId: search, label: search, contact: null };
  const remotes = {
    exact: [...contacts.exact.map(remoteOf), ...(typedIn ? [typed] : [])],
    parts: contacts.parts.map(remoteOf),
  };
  const remoteGroups = wanted.remoteGroups && {
    remoteGroups: page === 1 ? typedGroups(ports, policy, search) : [],
  };
  return { users, groups, remotes, ...remoteGroups };
}

/** A whole `group@host` of another server; nothing for other texts. */
function typedGroups(
  ports: SearchShareesPorts,
  policy: SharingPolicy,
  search: string,
): readonly ShareeRemoteGroup[] {
  if (!isRemoteTypedIn(policy, search, false, () => false)) return [];
  try {
    const id = parseCloudId(search);
    const server = peerKeyOf(id);
    return ports.isOwnDomain(server) ? [] : [{ cloudId: id.raw, name: id.user, server }];
  } catch (error) {
    if (error instanceof CloudIdInvalid) return [];
    throw error;
  }
}

/** The account of a whole mail address at another server, where the policy allows to ask for it. It replaces the typed text. */
async function foundByMail(
  ports: SearchShareesPorts,
  policy: SharingPolicy,
  uid: string,
  search: string,
): Promise<ShareeRemote | undefined> {
  const mail = policy.federation.findByMail ? readMailAddress(search) : undefined;
  if (!mail || ports.isOwnDomain(mail.domain)) return undefined;
  const account = await ports.accountOf(uid, mail);
  if (!account) return undefined;
  const contact = { server: peerKeyOf(account), mail: mail.text, organisation: '', isVerified: false };
  return { cloudId: account.raw, label: account.raw, contact };
}

const remoteOf = ({ cloudId, displayName, email, ...known }: FoundContact): ShareeRemote => ({
  cloudId,
  label: displayName || cloudId,
  contact: {
    server: known.server,
    mail: email,
    organisation: known.organisation,
    isVerified: known.isVerified,
  },
});

function shownUsers(
  { additionalInfo }: SharingPolicy,
  { exact, parts }: ShareePage<FoundUser>,
): ShareePage<ShareeUser> {
  const sharee = ({ uid, displayName, email, withinScope }: FoundUser): ShareeUser => ({
    uid,
    displayName,
    withinScope,
    additionalInfo: additionalInfo === 'email' ? email : additionalInfo === 'id' ? uid : null,
  });
  return { exact: exact.map(sharee), parts: parts.map(sharee) };
}
