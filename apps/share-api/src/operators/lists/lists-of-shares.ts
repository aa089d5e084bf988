import {
  type Database,
  EndedShareRepository,
  OfferReportRepository,
  QuarantineRepository,
  StoredWriteRepository,
  ShareAdministrationRepository,
  UnansweredShareRepository,
} from '#persistence';
import type { RuntimeSettings } from '#settings';
import { kindOf, SHARE_KINDS } from '#sharing';
import { assertFound, numberIn, type OperatedList } from './operated-list';

/** Shares of all accounts, and their results. The command line uses the same code. */
export function listsOfShares(
  database: Database,
  settings: RuntimeSettings,
): Readonly<Record<string, OperatedList>> {
  const shares = new ShareAdministrationRepository(database);
  const ended = new EndedShareRepository(database);
  const unanswered = new UnansweredShareRepository(database);
  const reports = new OfferReportRepository(database);
  const quarantine = new QuarantineRepository(database);
  const stored = new StoredWriteRepository(database);
  return {
    shares: {
      isPaged: true,
      read: async ({ uid, after, limit }) => {
        const rows = await shares.list({ ...(uid !== '' && { by: uid }), after, limit });
        return rows.map((row) => ({ ...row, type: kindOf(SHARE_KINDS, row.type).name }));
      },
      actions: {
        expire: async (entry) => assertFound(await shares.expire(numberIn(entry))),
        delete: async (entry) => assertFound(await shares.remove(numberIn(entry))),
      },
    },
    'ended-shares': {
      isPaged: true,
      read: ({ uid, after, limit }) => ended.list(uid || undefined, after, limit),
    },
    'unanswered-shares': {
      isPaged: true,
      read: async ({ after, limit }) => {
        const days = Number(await settings.get('federatedfilesharing', 'unanswered_after_days'));
        const rows = await unanswered.list(days, null, limit, after);
        return rows.map((row, index) => ({ id: after + index + 1, ...row }));
      },
    },
    reports: {
      isPaged: true,
      read: ({ after, limit }) => reports.list(after, limit),
      actions: { close: async (entry) => assertFound(await reports.close(numberIn(entry))) },
    },
    quarantine: {
      isPaged: true,
      read: async ({ after, limit }) =>
        (await quarantine.list(after, limit)).map(({ blobKey: _, ...row }) => row),
    },
    'stored-writes': {
      isPaged: true,
      read: ({ uid, host, after, limit }) =>
        stored.list({ hostKey: host || null, writerUid: uid || null }, after, limit),
      actions: {
        retry: async (entry) => assertFound(await stored.retry(numberIn(entry))),
        'give-up': async (entry) => assertFound(await stored.giveUp(numberIn(entry))),
      },
    },
  };
}
