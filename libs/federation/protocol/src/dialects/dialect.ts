import type { ContentKey, ContentOffer } from '../access/content-offer';
import type { OcmDocument } from '../discovery/read-documents';
import type { ReadAnswer, ReadBody } from '../messages/read-answer';
import type {
  OutgoingNotice,
  OutgoingShare,
  OutgoingShareRequest,
  PartnerMessageKind,
  WireRequest,
} from '../messages/partner-message';
import type { PeerProduct } from '../peers/peer-product';
import type { PeerProfile } from '../peers/peer-profile';

/** Address of shared content in a dialect, and the keys that the secret gives, in the order of attempts. */
interface DialectContent {
  /** undefined if the offer names another server than its sender's, or no address. */
  readonly root: string | undefined;
  readonly rootEndsInSlash: boolean;
  /** Whether a share of a single file may also be below its root. */
  readonly mayBeBelowRoot: boolean;
  readonly keys: readonly ContentKey[];
}

/** All differences between dialects. A new dialect is one such object and its line in `DIALECTS`. */
export interface DialectRules {
  /**
   * Position in the order of attempts for a product; undefined if the product does not speak the dialect.
   * @param document the partner's description of itself; undefined for none
   */
  readonly preference: (product: PeerProduct, document: OcmDocument | undefined) => number | undefined;
  /** Address of the partner for this dialect, without a trailing slash; null for none. */
  readonly endPoint: (
    partner: Pick<PeerProfile, 'baseUrl' | 'ocmEndPoint' | 'legacyShareUrl'>,
  ) => string | null;
  readonly offer: (share: OutgoingShare, profile: PeerProfile) => WireRequest;
  /** undefined if the partner has no such message. */
  readonly notice: (notice: OutgoingNotice, profile: PeerProfile) => WireRequest | undefined;
  /** A request for a share; undefined if the partner takes none. */
  readonly request: (request: OutgoingShareRequest, profile: PeerProfile) => WireRequest | undefined;
  /** Dialects with the same form of notices use the same address for them, so only one of them is tried. */
  readonly noticeForm: string;
  /** Whether servers of the product are known to refuse this message in this dialect. */
  readonly refuses: (kind: PartnerMessageKind, product: PeerProduct) => boolean;
  /** Whether a server that accepts offers in it knows the messages between owner and initiator of a reshare. */
  readonly knowsReshares: boolean;
  /** Whether an offer can name a group as its recipient. */
  readonly namesGroups: boolean;
  /** Whether it can express requirements: the exchange of the secret for an access token, or a second factor. */
  readonly statesRequirements: boolean;
  /** Whether a request for a reshare can name permissions. */
  readonly statesPermissions: (product: PeerProduct) => boolean;
  /** Reads an answer, whose code may be in the body. */
  readonly readAnswer: (body: ReadBody) => ReadAnswer;
  /** Whether a successful answer can come from a server that speaks the dialect. */
  readonly isOwnSuccess: (answer: ReadAnswer) => boolean;
  /** Whether servers of the product answer a bare 400 when the thing to be ended does not exist. */
  readonly refusesWithoutWords: (product: PeerProduct) => boolean;
  /** The address of the content of a share that was offered in the dialect. */
  readonly content: (offer: ContentOffer, profile: PeerProfile) => DialectContent;
}

export type Dialects = Readonly<Record<string, DialectRules>>;
