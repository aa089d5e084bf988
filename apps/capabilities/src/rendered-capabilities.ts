import { Inject, Injectable } from '@nestjs/common';
import { PreparedReply } from '#ocs/http';
import { OCS } from '#ocs/protocol';
import type { CapabilityEntry } from '#persistence';
import { CONFIG, PublicAddress, type Config } from '#platform';
import { CachedPolicy } from '#settings';
import { differencesOf, mayCreateLinks, mayShare, type SharingPolicy } from '#sharing';
import { capabilityDocument, type CallerRights } from './capability-document';

type Entries = ReadonlyMap<string, CapabilityEntry>;

/** The document's bytes, made once for each version of policy and entries and for each set of a caller's rights. */
@Injectable()
export class RenderedCapabilities {
  private policy: SharingPolicy | undefined;
  private entries: Entries | undefined;
  private readonly byRights = new Map<string, PreparedReply>();

  constructor(
    private readonly source: CachedPolicy,
    private readonly publicAddress: PublicAddress,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Capabilities for a member of `groups`; synchronous if policy and entries are in memory. */
  forGroups(groups: readonly string[]): PreparedReply | Promise<PreparedReply> {
    const [policy, entries] = [this.source.peek(), this.source.peekEntries()];
    return policy && entries ? this.reply(policy, entries, groups) : this.read(groups);
  }

  private async read(groups: readonly string[]): Promise<PreparedReply> {
    const [policy, entries] = await Promise.all([this.source.current(), this.source.capabilityEntries()]);
    return this.reply(policy, entries, groups);
  }

  private reply(policy: SharingPolicy, entries: Entries, groups: readonly string[]): PreparedReply {
    if (policy !== this.policy || entries !== this.entries) {
      this.byRights.clear();
      this.policy = policy;
      this.entries = entries;
    }
    const rights = { canShare: mayShare(policy, groups), canCreateLinks: mayCreateLinks(policy, groups) };
    const key = `${rights.canShare} ${rights.canCreateLinks}`;
    const known = this.byRights.get(key);
    if (known) return known;
    const prepared = this.prepare(policy, rights, entries);
    this.byRights.set(key, prepared);
    return prepared;
  }

  private prepare(policy: SharingPolicy, rights: CallerRights, entries: Entries): PreparedReply {
    const data = capabilityDocument(policy, rights, entries, {
      compatibility: this.config.COMPATIBILITY,
      address: this.publicAddress.url,
    });
    const message = differencesOf(this.config.COMPATIBILITY).capabilitiesSayOk ? 'OK' : null;
    return new PreparedReply({ style: 'app', code: OCS.OK, message, data });
  }
}
