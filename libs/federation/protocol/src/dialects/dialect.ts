import type { ContentKey, ContentOffer } from '../access/content-offer';
import type { OcmDocument } from '../discovery/read-documents';
import type { ReadAnswer, ReadBody } from '../messages/read-answer';
import type {
  OutgoingNotice,
  OutgoingShare,
  PartnerMessageKind,
  WireRequest,
} from '../messages/partner-message';
import type { PeerProduct } from '../peers/peer-product';
import type { PeerProfile } from '../peers/peer-profile';

/** Where shared content is by a dialect, and by which keys the secret opens it, in the order of attempts. */
interface DialectContent {
  /** undefined where the offer points to another server than its sender's, or to nowhere. */
  readonly root: string | undefined;
  readonly rootEndsInSlash: boolean;
  /** Whether a share of a single file may be below its root, too. */
  readonly mayBeBelowRoot: boolean;
  readonly keys: readonly ContentKey[];
}

/** Everything in which dialects differ. A new one is one such object and its line in `DIALECTS`. */
export interface DialectRules {
  /**
   * Place in the order of attempts at a product; undefined where the product does not speak it.
   * @param document how the partner describes itself; undefined for none
   */
  readonly preference: (product: PeerProduct, document: OcmDocument | undefined) => number | undefined;
  /** Address of the partner for this dialect, without a trailing slash; null where it has none. */
  readonly endPoint: (
    partner: Pick<PeerProfile, 'baseUrl' | 'ocmEndPoint' | 'legacyShareUrl'>,
  ) => string | null;
  readonly offer: (share: OutgoingShare, profile: PeerProfile) => WireRequest;
  /** undefined where the partner has no such message. */
  readonly notice: (notice: OutgoingNotice, profile: PeerProfile) => WireRequest | undefined;
  /** Dialects of the same form of notices have the same address for them, so one of them is tried. */
  readonly noticeForm: string;
  /** Whether servers of the product are known to refuse such messages in this dialect. */
  readonly refuses: (kind: PartnerMessageKind, product: PeerProduct) => boolean;
  /** Whether a server that took an offer in it knows the messages between owner and initiator of a reshare. */
  readonly knowsReshares: boolean;
  /** Whether it can say what is required: that a secret is exchanged for an access token, or a second factor. */
  readonly statesRequirements: boolean;
  /** Whether a request for a reshare can say which permissions are meant. */
  readonly statesPermissions: (product: PeerProduct) => boolean;
  /** Reads an answer, whose code may be in the body. */
  readonly readAnswer: (body: ReadBody) => ReadAnswer;
  /** Whether a successful answer can be a server's that speaks it. */
  readonly isOwnSuccess: (answer: ReadAnswer) => boolean;
  /** Whether servers of the product say no more than 400 when what is to be ended is not there. */
  readonly refusesWithoutWords: (product: PeerProduct) => boolean;
  /** Where the content of a share is that was offered in it. */
  readonly content: (offer: ContentOffer, profile: PeerProfile) => DialectContent;
}

export type Dialects = Readonly<Record<string, DialectRules>>;
