import { Inject, Injectable } from '@nestjs/common';
import {
  CloudIdInvalid,
  localCloudId,
  namesOf,
  parseCloudId,
  peerKeyOf,
  type ErrorClass,
} from '#federation/protocol';
import { ContactRepository, type MessageVerdict } from '#persistence';
import { CONFIG, PublicAddress, type Config } from '#platform';
import { Verdicts } from '#queue';
import type {
  OfferedShare,
  OfferFailure,
  Partners,
  PartnerStanding,
  PartnerVerdict,
  RemoteRecipient,
} from '#sharing';

/** Partners, for sharing: the worker contacts them, and callers wait for its results. */
@Injectable()
export class QueuedPartners implements Partners {
  constructor(
    private readonly verdicts: Verdicts,
    private readonly contacts: ContactRepository,
    private readonly address: PublicAddress,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  recipient(text: string): RemoteRecipient | undefined {
    try {
      const cloudId = parseCloudId(text);
      const hostKey = peerKeyOf(cloudId);
      const isHere = hostKey === peerKeyOf(localCloudId('anybody', this.address.url));
      return {
        written: cloudId.raw.replace(/\/+$/, ''),
        canonical: cloudId.canonical,
        hostKey,
        localUid: isHere ? cloudId.user : undefined,
      };
    } catch (error) {
      if (error instanceof CloudIdInvalid) return undefined;
      throw error;
    }
  }

  async standing(uid: string, { hostKey, written }: RemoteRecipient): Promise<PartnerStanding> {
    return { hostKey, ...(await this.contacts.standing(uid, hostKey, namesOf(parseCloudId(written)))) };
  }

  /** Holds no database connection while it waits. */
  async verdict({ offerId, isHeld }: OfferedShare): Promise<PartnerVerdict> {
    const until = Date.now() + this.config.FEDERATION_SYNC_WAIT;
    let verdict = await this.verdicts.wait(offerId, this.config.FEDERATION_SYNC_WAIT, !isHeld);
    // The owner's server left the share to us, so the answer of the recipient's server decides.
    const instead = verdict?.reply?.offerId;
    if (typeof instead === 'number')
      verdict = await this.verdicts.wait(instead, Math.max(0, until - Date.now()));
    return verdict ? verdictOf(verdict) : { kind: 'later' };
  }
}

/** The one mapping from classes of delivery failures to refusals of sharing. */
const FAILURES: Readonly<Record<ErrorClass, OfferFailure>> = {
  policy: 'remote-not-allowed',
  blocked: 'remote-address-forbidden',
  'blocked-http': 'remote-address-forbidden',
  'unknown-host': 'remote-host-unknown',
  'not-listening': 'remote-not-listening',
  tls: 'remote-not-secure',
  certificate: 'remote-not-secure',
  undiscovered: 'remote-not-sharing',
  'blocked-redirect': 'remote-not-sharing',
  'signature-refused': 'remote-signature-refused',
  'recipient-unknown': 'remote-user-unknown',
  'share-unknown': 'remote-refused',
  denied: 'remote-refused',
  rejected: 'remote-refused',
  unsupported: 'remote-refused',
  dns: 'remote-unreachable',
  network: 'remote-unreachable',
  reset: 'remote-unreachable',
  'too-large': 'remote-unreachable',
  'bad-answer': 'remote-unreachable',
  busy: 'remote-unreachable',
  closed: 'remote-unreachable',
  timeout: 'remote-unreachable',
  'partner-error': 'remote-unreachable',
  limited: 'remote-unreachable',
  internal: 'remote-unreachable',
};

/** Only a refusal has a text of the partner; texts of other failures are ours, for the delivery record. */
function verdictOf({ state, errorClass, message }: MessageVerdict): PartnerVerdict {
  if (state === 'delivered') return { kind: 'taken' };
  if (state !== 'refused' && state !== 'dead') return { kind: 'later' };
  const failure = errorClass ? FAILURES[errorClass] : 'remote-unreachable';
  return { kind: 'failed', failure, words: state === 'refused' ? (message ?? '') : '' };
}
