import {
  ACCOUNT,
  attributesFromText,
  conditionsAmong,
  demands,
  denies,
  DOWNLOAD,
  mergeAttributes,
  SECOND_FACTOR,
  type ShareAttribute,
} from './attributes';
import { ALL, CREATE, DELETE, READ, SHARE, UPDATE } from './permissions';

/** One share on the way to a node: with a user, a group, a link or a partner's server, or received from one. */
export interface Grant {
  readonly permissions: number;
  /** JSON text of its attributes; null for none. */
  readonly attributes: string | null;
  /** Conditions that the server of a received share sets, such as `must-use-mfa`; null for none. */
  readonly requirements?: readonly string[] | null;
}

/** Shares that lead to the same place. One of them is enough to allow an operation. */
export type Grants = readonly Grant[];

/**
 * The way to a node: as its owner, or through shares. Each step has to allow an operation. A link of a
 * received node has two steps: the access of the link's maker, and the link.
 */
export type ShareChain = 'own' | readonly Grants[];

/** The proof of the caller's identity. */
export interface CallerSession {
  /** Whether they are signed in to this server. */
  readonly signedIn: boolean;
  readonly secondFactor: boolean;
}

/** A sign-in by a password alone. */
export const PLAIN_SESSION: CallerSession = { signedIn: true, secondFactor: false };
export const STRONG_SESSION: CallerSession = { signedIn: true, secondFactor: true };
/** The session of a caller whom this server does not know. */
export const VISITOR_SESSION: CallerSession = { signedIn: false, secondFactor: false };

/** A proof that a share demands and the caller did not give. */
export type MissingProof = 'account' | 'second-factor';

export type NodeOperation = 'list' | 'read' | 'download' | 'write' | 'create' | 'delete' | 'reshare';

const BITS: Readonly<Record<NodeOperation, number>> = {
  list: READ,
  read: READ,
  download: READ,
  write: UPDATE,
  create: CREATE,
  delete: DELETE,
  reshare: SHARE,
};

const MADE_HERE: unique symbol = Symbol('made by the rule for access to nodes');

/** Permission to read content. Blob stores and files of partners require it, and only this module makes it. */
export class DownloadPermit {
  constructor(readonly origin: typeof MADE_HERE) {}
}

/** For backups and checks by the operator, who reads contents as they are stored. A lint rule keeps controllers from using it. */
export const OPERATOR_PERMIT = new DownloadPermit(MADE_HERE);

/**
 * For a file that is being sent, in pieces or to a partner. Others cannot see it on the way. A lint rule keeps request
 * handlers from using it.
 */
export const UPLOAD_PERMIT = new DownloadPermit(MADE_HERE);

/** For the scanner, which sees content before it becomes visible. A lint rule keeps request handlers from using it. */
export const SCANNER_PERMIT = new DownloadPermit(MADE_HERE);

/** For the first byte of another server's link, which is read to find out whether the link works, and is thrown away. */
export const LINK_CHECK_PERMIT = new DownloadPermit(MADE_HERE);

/** Permissions of a caller on a node. Only `decideAccess` makes one, so nobody can skip the decision. */
export class NodeAccess {
  private constructor(
    /** Allowed operations, as bits. */
    readonly permissions: number,
    /** The node is listed and described, but its content is not given. */
    readonly isViewOnly: boolean,
    /** The proof that would allow more; undefined where none would. */
    readonly missing?: MissingProof,
  ) {}

  /** @see decideAccess */
  static decide(chain: ShareChain, session: CallerSession): NodeAccess {
    if (chain === 'own') return new NodeAccess(ALL, false);
    const steps = chain.map((grants) => grants.filter((grant) => meetsAll(grant, session)));
    const bits = steps.map((grants) => grants.reduce((sum, grant) => sum | grant.permissions, 0));
    const permissions = bits.length === 0 ? 0 : bits.reduce((left, step) => left & step, ALL);
    const missing = permissions === 0 ? missingProof(chain, session) : undefined;
    return new NodeAccess(permissions, steps.some(isViewOnly), missing);
  }

  /** The same access, reduced to the operations in `mask`. */
  within(mask: number): NodeAccess {
    return new NodeAccess(this.permissions & mask, this.isViewOnly, this.missing);
  }

  /** Whether the node only takes files and shows none. Its answers must not reveal which names are taken. */
  get isDrop(): boolean {
    return this.may('create') && !this.may('list');
  }

  /** undefined if the content may not be read. */
  downloadPermit(): DownloadPermit | undefined {
    return this.may('download') ? new DownloadPermit(MADE_HERE) : undefined;
  }

  may(operation: NodeOperation): boolean {
    const isAllowed = (this.permissions & BITS[operation]) !== 0;
    return isAllowed && !(operation === 'download' && this.isViewOnly);
  }
}

/**
 * Decides what a caller may do with a node. Every way to a node uses this one rule: WebDAV of users, mounts of received
 * shares, public links and their pages, partners' servers and access tokens.
 */
export const decideAccess = (chain: ShareChain, session: CallerSession): NodeAccess =>
  NodeAccess.decide(chain, session);

/**
 * The step of a person who passed a node on, or of the link or share with a group that a share with another server follows. Only its
 * conditions count here: its permissions are checked elsewhere.
 */
export function conditionsOf(received: Grants | null): readonly Grants[] {
  const readable = (received ?? []).filter(reads);
  return readable.length === 0 ? [] : [readable.map((grant) => ({ ...grant, permissions: ALL }))];
}

/** Conditions that links and shares with partners keep if their initiator loses `received`. */
export const conditionsToKeep = (received: Grants): ShareAttribute[] =>
  conditionsAmong(attributesToRepeat(received.filter(reads)));

/** Attributes that a share of a received node has to repeat. If one of several shares allows something, it is allowed. */
export function attributesToRepeat(received: Grants): ShareAttribute[] {
  const merged = mergeAttributes(received.map((grant) => attributesFromText(grant.attributes)));
  const mayDownload = received.some(allowsDownload);
  const rest = merged.filter(
    (attribute) => !(mayDownload && denies(attribute, DOWNLOAD)) && !demands([attribute], SECOND_FACTOR),
  );
  const readable = received.filter(reads);
  const isDemanded = readable.length > 0 && readable.every(demandsSecondFactor);
  return isDemanded ? [...rest, { ...SECOND_FACTOR, enabled: true }] : rest;
}

/** Whether a share opens only with a second factor: its owner demands that, here or at another server. */
const demandsSecondFactor = ({ attributes, requirements }: Grant): boolean =>
  demands(attributesFromText(attributes), SECOND_FACTOR) || (requirements ?? []).includes(MUST_USE_MFA);

const reads = ({ permissions }: Grant): boolean => (permissions & READ) !== 0;

const isViewOnly = (grants: Grants): boolean => grants.some(reads) && !grants.some(allowsDownload);

const allowsDownload = (grant: Grant): boolean =>
  reads(grant) && !attributesFromText(grant.attributes).some((attribute) => denies(attribute, DOWNLOAD));

/** Requirements that this server meets itself when it reads from a partner. */
const MET_BY_SERVER: readonly string[] = ['must-exchange-token'];
/** In OCM: the recipient's server opens the share only for people with a second factor. */
const MUST_USE_MFA = 'must-use-mfa';

/** Requirements of a share that this caller does not meet. */
export function unmetRequirements(requirements: readonly string[], session: CallerSession): string[] {
  return requirements.filter(
    (requirement) =>
      !MET_BY_SERVER.includes(requirement) && !(requirement === MUST_USE_MFA && session.secondFactor),
  );
}

function meetsAll({ attributes, requirements }: Grant, session: CallerSession): boolean {
  if (requirements && unmetRequirements(requirements, session).length > 0) return false;
  if (attributes === null || (session.signedIn && session.secondFactor)) return true;
  const conditions = attributesFromText(attributes);
  return (
    (session.signedIn || !demands(conditions, ACCOUNT)) &&
    (session.secondFactor || !demands(conditions, SECOND_FACTOR))
  );
}

/** The weakest proof that would open the whole chain. */
function missingProof(chain: readonly Grants[], session: CallerSession): MissingProof | undefined {
  const opensTo = (proven: CallerSession): boolean =>
    chain.every((grants) => grants.some((grant) => grant.permissions !== 0 && meetsAll(grant, proven)));
  if (opensTo(session)) return undefined;
  if (!session.signedIn && opensTo({ ...session, signedIn: true })) return 'account';
  return opensTo(STRONG_SESSION) ? 'second-factor' : undefined;
}
