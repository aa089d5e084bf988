import ipaddr from 'ipaddr.js';
import { DiscoveryClient, GuardedClient, PeerProfiles } from '#federation/client';
import { ShareWatchRepository } from '#persistence';
import { createLogger } from '#platform';
import { ReceivedShareAcceptance, ReceivedShares } from '#storage';
import { PartnerHealth } from '../../../../apps/federation-worker/src/reconciliation/partner-health';
import { ReceivedShareWatch } from '../../../../apps/federation-worker/src/reconciliation/received-share-watch';
import { StoredShareWatch } from '../../../../apps/federation-worker/src/reconciliation/stored-share-watch';
import type { DavPartner, DavShare } from '../partners';
import { PartnerFilesStage, type StagedShare } from './partner-files-stage';

/** The row of a received share. */
export interface WatchedRow {
  readonly state: string;
  readonly verified: boolean;
  readonly kind: string | null;
  readonly mimetype: string | null;
  readonly size: number | null;
  readonly mtime: Date | null;
  readonly permissions: number;
  readonly file_target: string | null;
  readonly failed_probes: number;
  readonly unreachable_since: Date | null;
  readonly gone_at: Date | null;
  readonly look_at: Date | null;
}

/** The parts for a spec of probes: fake partners, probing workers, and time that can be moved. */
export class ShareWatchStage {
  readonly probes: ShareWatchRepository;

  private constructor(readonly files: PartnerFilesStage) {
    this.probes = new ShareWatchRepository(files.test.database);
  }

  static async start(): Promise<ShareWatchStage> {
    return new ShareWatchStage(await PartnerFilesStage.start());
  }

  query<T = WatchedRow>(text: string, values: unknown[] = []): Promise<T[]> {
    return this.files.test.database.dataSource.query<T[]>(text, values);
  }

  /** Closes and removes partners. */
  async clear(): Promise<void> {
    await this.files.clear();
    await this.files.test.empty('peer', 'user_account');
  }

  /** The watch of one worker. @param isWell false if no server's discovery succeeds */
  worker(isWell = true): ReceivedShareWatch {
    const { database } = this.files.test;
    const { peers } = this.files.shares;
    const rules = { allowHttp: true, allowAddresses: [ipaddr.parseCIDR('127.0.0.0/8')] };
    const client = this.files.keep(new GuardedClient({ rules }));
    const failing = {
      discover: async (hostKey: string): Promise<void> =>
        peers.saveDiscoveryFailure((await peers.ensure(hostKey)).id, 'timeout', 60_000),
    };
    const discovery = isWell ? new PeerProfiles(peers, new DiscoveryClient(client, true)) : failing;
    const files = this.files.files();
    const policy = this.files.policy();
    const places = new ReceivedShares(database, policy);
    const acceptance = new ReceivedShareAcceptance(database, policy, places);
    const health = new PartnerHealth(discovery, peers);
    const logger = createLogger('silent');
    const watched = new StoredShareWatch(database, this.probes, places, acceptance, health, files, logger);
    const watch = new ReceivedShareWatch(watched, logger);
    this.files.keep({ close: () => watch.stop() });
    return watch;
  }

  async rowOf({ share }: StagedShare): Promise<WatchedRow> {
    return (await this.query('SELECT * FROM received_share WHERE id = $1', [share.receivedShareId]))[0]!;
  }

  /** Makes everything due, and moves all times back by these hours. */
  async letPass(hours: number): Promise<void> {
    const columns = ['unreachable_since', 'quarantined_at', 'gone_at', 'last_probe_at', 'last_seen_at'];
    const back = columns.map((column) => `${column} = ${column} - $1::int * interval '1 hour'`).join(', ');
    const due = 'look_at = CASE WHEN look_at IS NOT NULL THEN now() END';
    await this.query(`UPDATE received_share SET ${due}, ${back}`, [hours]);
    await this.query(`UPDATE peer SET looks_after = NULL, discovery_failed_until = NULL`);
  }

  async accept({ share }: StagedShare, target = '/shared'): Promise<void> {
    const sql = `UPDATE received_share SET state = 'accepted', file_target = $2, decided_at = now(), look_at = now() WHERE id = $1`;
    await this.query(sql, [share.receivedShareId, target]);
  }

  /** Accepts the share, and adds more shares of the same partner. */
  async crowd(staged: StagedShare, size: number): Promise<void> {
    await this.accept(staged);
    await this.query(
      `INSERT INTO received_share (peer_id, provider_id, token_hmac, token_enc, recipient_uid, owner, sender, name, permissions,
         dialect, access, state, file_target, look_at)
       SELECT peer_id, provider_id || n, token_hmac, token_enc, recipient_uid, owner, sender, name || n, permissions, dialect, access,
         'accepted', '/crowd' || n, now() - interval '1 hour'
       FROM received_share, generate_series(2, $2) AS n WHERE id = $1`,
      [staged.share.receivedShareId, size],
    );
  }

  /** A share that is quarantined by its first refusal. */
  async quarantined(worker: ReceivedShareWatch, fault: 401 | 403 | 404 = 401): Promise<StagedShare> {
    const staged = await this.files.share();
    await this.accept(staged);
    await worker.round();
    staged.partner.misbehave(fault);
    await this.letPass(1);
    await worker.round();
    return staged;
  }
}

/** Probes that a partner received, as `path depth`. */
export const propfindsAt = (partner: DavPartner): string[] =>
  partner.requests
    .filter(({ method }) => method === 'PROPFIND')
    .map(({ path, headers }) => `${path} ${String(headers.depth)}`);

/** Stores a file at a partner, which changes the state of all folders above it. */
export function putAt({ tree }: DavShare, path: string, content: string): void {
  tree.file(path, content);
  for (let at = path; at !== '';) tree.folder((at = at.slice(0, at.lastIndexOf('/'))));
}
