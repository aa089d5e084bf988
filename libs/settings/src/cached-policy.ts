import { Inject, Injectable } from '@nestjs/common';
import { type CapabilityEntry, ChangeFeed, FreshCache, SettingRepository } from '#persistence';
import { CONFIG, type Config } from '#platform';
import { policyFrom, type Compatibility, type PolicySource, type SharingPolicy } from '#sharing';

const ONLY = 'all';

/** The present policy, and other apps' capability entries, in memory under the rule of freshness. */
@Injectable()
export class CachedPolicy implements PolicySource {
  private readonly policies: FreshCache<SharingPolicy>;
  private readonly entries: FreshCache<Map<string, CapabilityEntry>>;

  constructor(
    private readonly settings: SettingRepository,
    private readonly feed: ChangeFeed,
    @Inject(CONFIG) private readonly config: Pick<Config, 'COMPATIBILITY'>,
  ) {
    this.policies = new FreshCache(feed, { max: 1, topic: 'setting', keyOf: () => ONLY });
    this.entries = new FreshCache(feed, { max: 1, topic: 'capability', keyOf: () => ONLY });
  }

  /** The policy if it is in memory and fresh. */
  peek(): SharingPolicy | undefined {
    return this.policies.get(ONLY);
  }

  /** The same object until a setting changes. */
  async current(): Promise<SharingPolicy> {
    return (await this.policies.read(ONLY, () => this.read()))!;
  }

  /** The mode that decides about defaults. */
  get compatibility(): Compatibility {
    return this.config.COMPATIBILITY;
  }

  /** The entries if they are in memory and fresh. */
  peekEntries(): ReadonlyMap<string, CapabilityEntry> | undefined {
    return this.entries.get(ONLY);
  }

  /** The same object until an entry changes. */
  async capabilityEntries(): Promise<ReadonlyMap<string, CapabilityEntry>> {
    return (await this.entries.read(ONLY, () => this.settings.capabilityEntries()))!;
  }

  /** Called by code that changed settings or entries in this process. */
  changed(topic: 'setting' | 'capability'): void {
    this.feed.announceLocally(topic, ONLY);
  }

  private async read(): Promise<SharingPolicy> {
    return policyFrom(await this.settings.all(), this.compatibility);
  }
}
