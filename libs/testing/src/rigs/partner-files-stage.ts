import ipaddr from 'ipaddr.js';
import {
  DiscoveryClient,
  GuardedClient,
  partnerFilesOn,
  PeerProfiles,
  SignedCalls,
  type EgressLimits,
  type PartnerFiles,
  type PartnerFilesParts,
} from '#federation/client';
import { AccessTokenRepository, ChangeFeed, SettingRepository } from '#persistence';
import { CachedPolicy } from '#settings';
import { startDavPartner, type DavPartner, type DavPartnerOptions, type DavShare } from '../partners';
import { RemoteShares, type OfferedAs } from '../partners/remote-shares';
import { keysOfVectors } from '../partners/signing-keys';
import { createTestDatabase, type TestDatabase } from './test-database';
import type { RemoteShare } from '#federation/remote-files';

/** A share of a fake partner, with the partner's own view of it. */
export interface StagedShare {
  readonly partner: DavPartner;
  readonly offered: DavShare;
  readonly share: RemoteShare;
}

/** Long limits for partners that answer, because a busy machine is slow. */
const PATIENT: Partial<EgressLimits> = {
  connectMs: 60_000,
  headersMs: 60_000,
  totalMs: 60_000,
  idleMs: 60_000,
};

/** The parts for a spec of partners' files: a database, the files, and partners that are closed at the end. */
export class PartnerFilesStage {
  readonly shares: RemoteShares;
  private readonly open: { close(): Promise<void> }[] = [];

  private constructor(readonly test: TestDatabase) {
    this.shares = new RemoteShares(test.database);
  }

  static async start(): Promise<PartnerFilesStage> {
    return new PartnerFilesStage(await createTestDatabase());
  }

  /** The files of one process. */
  files(limits: Partial<EgressLimits> = {}, pace?: PartnerFilesParts['limits']): PartnerFiles {
    const { database } = this.test;
    const rules = { allowHttp: true, allowAddresses: [ipaddr.parseCIDR('127.0.0.0/8')] };
    const client = this.keep(new GuardedClient({ rules, limits: { ...PATIENT, ...limits } }));
    return partnerFilesOn({
      client,
      calls: new SignedCalls(client, keysOfVectors()),
      peers: this.shares.peers,
      profiles: new PeerProfiles(this.shares.peers, new DiscoveryClient(client, true)),
      tokens: new AccessTokenRepository(database),
      policy: this.policy(),
      secrets: this.shares.secrets,
      clientId: () => 'receiver.example',
      limits: pace,
    });
  }

  /** A policy cache that receives no changes. */
  policy(): CachedPolicy {
    return new CachedPolicy(new SettingRepository(this.test.database), new ChangeFeed(this.test.url), {
      COMPATIBILITY: 'documented',
    });
  }

  /** A new partner with one share, received. */
  async share(options: DavPartnerOptions = {}, as: OfferedAs = {}): Promise<StagedShare> {
    const partner = this.keep(await startDavPartner(options));
    const offered = partner.share('4712');
    return { partner, offered, share: await this.shares.receive(partner, offered, as) };
  }

  keep<T extends { close(): Promise<void> }>(one: T): T {
    this.open.push(one);
    return one;
  }

  /** Closes partners and connections; the database stays. */
  async clear(): Promise<void> {
    for (const one of this.open.splice(0).reverse()) await one.close();
  }

  async end(): Promise<void> {
    await this.clear();
    await this.test.drop();
  }
}
