import type { Spelling } from '../addresses/spelling';
import type { WebdavReceive } from '../discovery/read-documents';
import type { SignatureChoice } from '../signatures/signature-to-check';
import type { Dialect } from '../dialects/dialect-name';
import type { DataAccess, PeerProduct } from './peer-product';

/** Validity of a discovery, in milliseconds. */
export const PROFILE_VALID_MS = 24 * 3_600_000;
/** Validity of a failed discovery: the host is no partner, or does not answer. */
export const NO_PROFILE_VALID_MS = 5 * 60_000;

/** Profile of a partner's server, with everything that messages to it need. It is plain data, stored as JSON. */
export interface PeerProfile {
  /** `https://host[:port][/path]`, with the scheme under which it answered. */
  readonly baseUrl: string;
  readonly product: PeerProduct;
  /** Whether an operator set the product; otherwise it was recognised. */
  readonly productIsGiven: boolean;
  /** In the order of attempts; only dialects with an address. */
  readonly dialects: readonly Dialect[];
  /** The last dialect that worked. While it is set, no other is tried. */
  readonly provenDialect: Dialect | null;
  /** OCM address, without a trailing slash; null for none. */
  readonly ocmEndPoint: string | null;
  /** Address of the legacy dialect, without a trailing slash; null for none. */
  readonly legacyShareUrl: string | null;
  /** Root of content that is read with a token as user name, without a trailing slash. */
  readonly webdavUrl: string | null;
  readonly tokenEndPoint: string | null;
  /** Page on which its people accept invitations; null for none. */
  readonly inviteAcceptDialog: string | null;
  /** Forms of content addresses that it announces to read; null if it does not say. It gets absolute ones, which all products read. */
  readonly webdavReceive: WebdavReceive | null;
  /** Kinds of files for which its people can open web applications of ours in a window. */
  readonly opensWebapps: readonly ('file' | 'folder')[];
  /** An operator's choice of how messages to it are signed; null if its announcements decide. */
  readonly signBy: SignatureChoice | null;
  /** Kinds of recipients for which it takes offers of files, in the words of OCM, such as `user` and `group`. */
  readonly shareTypes: readonly string[];
  readonly spelling: Spelling;
  readonly dataAccess: DataAccess;
  /** Words in the newer spelling, without a leading slash. */
  readonly capabilities: readonly string[];
  readonly criteria: readonly string[];
  readonly apiVersion: string | null;
  /** UNIX milliseconds. */
  readonly discoveredAt: number;
  /** UNIX milliseconds; after this time it is discovered again. */
  readonly expiresAt: number;
}
