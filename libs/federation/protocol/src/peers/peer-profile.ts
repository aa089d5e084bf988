import type { Spelling } from '../addresses/spelling';
import type { WebdavReceive } from '../discovery/read-documents';
import type { SignatureChoice } from '../signatures/signature-to-check';
import type { Dialect } from '../dialects/dialect-name';
import type { DataAccess, PeerProduct } from './peer-product';

/** How long a discovery holds, in milliseconds. */
export const PROFILE_VALID_MS = 24 * 3_600_000;
/** How long it is believed that a host is no partner, or does not answer. */
export const NO_PROFILE_VALID_MS = 5 * 60_000;

/** Profile of a partner's server: enough to write to it. Plain data, kept as JSON. */
export interface PeerProfile {
  /** `https://host[:port][/path]`, with the scheme under which it answered. */
  readonly baseUrl: string;
  readonly product: PeerProduct;
  /** Whether an operator said so; else it was recognised. */
  readonly productIsGiven: boolean;
  /** In the order of attempts; holds only dialects for which there is an address. */
  readonly dialects: readonly Dialect[];
  /** The dialect that worked last; then no other is tried. */
  readonly provenDialect: Dialect | null;
  /** OCM address, without a trailing slash; null where there is none. */
  readonly ocmEndPoint: string | null;
  /** Address of the legacy dialect, without a trailing slash; null where there is none. */
  readonly legacyShareUrl: string | null;
  /** Root of content that is read with a token as user name, without a trailing slash. */
  readonly webdavUrl: string | null;
  readonly tokenEndPoint: string | null;
  /** Page on which its people accept invitations; null for none. */
  readonly inviteAcceptDialog: string | null;
  /** Which addresses of content it says that it reads; null where it does not say. It is given absolute ones, which all read. */
  readonly webdavReceive: WebdavReceive | null;
  /** An operator's choice of how messages to it are signed; null where its announcements decide. */
  readonly signBy: SignatureChoice | null;
  readonly spelling: Spelling;
  readonly dataAccess: DataAccess;
  /** Words in the newer spelling, without a leading slash. */
  readonly capabilities: readonly string[];
  readonly criteria: readonly string[];
  readonly apiVersion: string | null;
  /** UNIX milliseconds. */
  readonly discoveredAt: number;
  /** UNIX milliseconds; to be discovered again after this. */
  readonly expiresAt: number;
}
