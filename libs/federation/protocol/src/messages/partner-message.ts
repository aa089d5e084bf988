import type { FederatedCloudId } from '../addresses/federated-cloud-id';
import type { SecretText } from '../secret-text';

/** One of our accounts or a partner's, as it appears in an offer. */
export interface Party {
  readonly cloudId: FederatedCloudId;
  readonly displayName: string;
}

/** A share that one of our accounts offers to an account of a partner. */
export interface OutgoingShare {
  readonly kind: 'offer';
  readonly shareWith: FederatedCloudId;
  /** Whether the recipient is a group: then it can be offered by Open Cloud Mesh only. Absent for a person. */
  readonly isForGroup?: boolean;
  /** One segment of a path. */
  readonly name: string;
  readonly nodeKind: 'file' | 'folder';
  /** Decimal digits: ownCloud and older Nextcloud servers convert it into a number. */
  readonly providerId: string;
  readonly sharedSecret: SecretText;
  readonly owner: Party;
  /** The initiator, who is at another server if a reshare was requested there. */
  readonly sender: Party;
  /** Note of the sender to the recipient; empty for none. */
  readonly description: string;
  /** Bits. */
  readonly permissions: number;
  /** UNIX seconds; null for none. */
  readonly expiresAt: number | null;
  /** Address of its content for a Bearer token, such as `https://cloud.example.org/dav/ocm/4711`. */
  readonly webdavUri: string;
  /** Whether only an access token opens it: then it can be offered in `ocm-multi` only. */
  readonly mustExchange: boolean;
  /** Whether it opens only for people with a second factor: then it can be offered in `ocm-multi` only. */
  readonly mustUseMfa: boolean;
  /** Page of ours that shows it in the browser of its recipient; absent for none. Opens with an access token only. */
  readonly webappUri?: string;
}

interface AboutShare {
  /** The share's id at the server that made it. */
  readonly providerId: string;
  readonly sharedSecret: SecretText;
  /** The share's recipient, which oCIS reads in place of the secret. */
  readonly grantee: FederatedCloudId | null;
}

/** State of a share's content after a change. */
interface ChangedContent {
  /** ETag of its root, without quotes. */
  readonly etag: string;
  /** Size of its root in bytes. */
  readonly size: number;
  /** The folder or file of the share that changed, such as `/plans`; `''` for its root. */
  readonly path: string;
}

/** A message about a share that both sides know. */
export type OutgoingNotice = AboutShare &
  (
    | {
        readonly kind:
          | 'share-accepted'
          | 'share-seen'
          | 'share-declined'
          | 'share-unshared'
          | 'reshare-undone';
        /** Text of a recipient who declines; null or absent for none. */
        readonly reason?: string | null;
        /** Whether the owner passes the recipient's refusal on to the initiator of the reshare. */
        readonly toResharer?: boolean;
      }
    /** Between the owner and the initiator of a reshare. */
    | { readonly kind: 'reshare-permissions'; readonly permissions: number }
    /** From the owner to the recipient; most products have no such message. */
    | {
        readonly kind: 'share-permissions';
        readonly permissions: number;
        /** UNIX seconds; null for none, undefined if the message does not change it. */
        readonly expiresAt?: number | null;
        /** Empty for none, undefined if the message does not change it. */
        readonly description?: string | undefined;
        readonly webdavUri: string;
        readonly mustExchange: boolean;
        readonly mustUseMfa: boolean;
      }
    /** From the owner to the recipient: the content of the share has changed. */
    | ({ readonly kind: 'content-changed' } & ChangedContent)
    | {
        readonly kind: 'reshare-requested';
        readonly shareWith: FederatedCloudId;
        /** Our own id of the requested share; digits. */
        readonly requesterShareId: string;
        readonly permissions: number;
      }
  );

/** One of our accounts asks an account of a partner for a share. It contains no secret. */
export interface OutgoingShareRequest {
  readonly kind: 'share-request';
  /** The one who is asked. */
  readonly owner: FederatedCloudId;
  /** The one who asks. */
  readonly requester: FederatedCloudId;
  /** Id or address of a file or folder at the partner. */
  readonly resource: string;
}

/** Every message to a partner. */
export type PartnerMessage = OutgoingShare | OutgoingNotice | OutgoingShareRequest;
export type PartnerMessageKind = PartnerMessage['kind'];

/** A request that is ready to be sent. Its body contains a secret, so printing it shows nothing of it. */
export interface WireRequest {
  readonly method: 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: SecretText;
}
