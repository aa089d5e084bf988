import { KEPT_LOST_DAYS } from '#federation/exchange';
import type {
  AuditRepository,
  DoubtedShareRepository,
  EndedShareRepository,
  InboxRepository,
  OutboxRepository,
  PushNewsRepository,
  SeenSignatureRepository,
  SentShareRequestRepository,
  ShareWatchRepository,
  SigningKeyRepository,
  TrashExpiryRepository,
  VersionExpiryRepository,
} from '#persistence';
import type { Schedule } from '#queue';

const HOUR_MS = 3_600_000;
const KEPT_DAYS = 30;
/** Servers try to tell of a later last day for a week. */
const EXPIRED_FOR_DAYS = 7;
const MINUTE_MS = 60_000;
const BATCH = 1000;
/** Each change of a file or share is news. */
const NEWS_BATCH = 10_000;
/** Retired keys check nothing new; one day allows for differences of clocks. */
const KEPT_SIGNING_KEY_DAYS = 1;

/**
 * Deletes rows that are no longer needed: answered messages of partners, delivered messages to them, ended received
 * shares, retired signing keys, accepted signatures that are too old anyway, news for connected clients after a minute, and events of the
 * audit log that are older than the setting allows. Requests for shares are forgotten before their messages. Ends shares of ours with a
 * doubtful decline that nobody has used since, and received shares that expired a week ago.
 */
export function housekeeping(
  inbox: InboxRepository,
  outbox: OutboxRepository,
  watch: ShareWatchRepository,
  signingKeys: SigningKeyRepository,
  seenSignatures: SeenSignatureRepository,
  audit: AuditRepository,
  endedShares: EndedShareRepository,
  doubtedShares: DoubtedShareRepository,
  trash: TrashExpiryRepository,
  versions: VersionExpiryRepository,
  requests: SentShareRequestRepository,
  pushNews: PushNewsRepository,
): readonly Schedule[] {
  const hourly = (name: string, forget: () => Promise<number>): Schedule => ({
    name,
    everyMs: HOUR_MS,
    run: () => inBatches(BATCH, forget),
  });
  return [
    hourly('forget-inbox', () => inbox.forget(KEPT_DAYS, BATCH)),
    hourly('forget-deliveries', () => outbox.forgetFinished(KEPT_DAYS, BATCH)),
    hourly('forget-share-requests', () => requests.forget(KEPT_DAYS, BATCH)),
    hourly('forget-audit-events', () => audit.forgetOld(BATCH)),
    hourly('end-expired-received-shares', () => watch.endExpired(EXPIRED_FOR_DAYS, BATCH)),
    hourly('forget-ended-shares', () => watch.forgetEnded(KEPT_LOST_DAYS, BATCH)),
    hourly('forget-shares-of-ours', () => endedShares.forget(BATCH)),
    hourly('end-doubted-shares', () => doubtedShares.endUnused(BATCH)),
    hourly('forget-seen-signatures', () => seenSignatures.forget(BATCH)),
    {
      name: 'forget-push-news',
      everyMs: MINUTE_MS,
      run: () => inBatches(NEWS_BATCH, () => pushNews.forget(NEWS_BATCH)),
    },
    { name: 'empty-trash-bins', everyMs: HOUR_MS, run: async () => void (await trash.removeExpired()) },
    { name: 'thin-out-versions', everyMs: HOUR_MS, run: async () => void (await versions.removeOutdated()) },
    {
      name: 'forget-signing-keys',
      everyMs: HOUR_MS,
      run: () => signingKeys.forgetRetired(KEPT_SIGNING_KEY_DAYS),
    },
  ];
}

async function inBatches(size: number, forget: () => Promise<number>): Promise<void> {
  while ((await forget()) === size);
}
