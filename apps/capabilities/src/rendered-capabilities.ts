import { Inject, Injectable } from '@nestjs/common';
import { writeJson, writeXml, type RenderedData } from '#ocs/protocol';
import { type CapabilityEntry } from '#persistence';
import { CachedPolicy } from '#settings';
import { CONFIG, type Config } from '#platform';
import { mayCreateLinks, mayShare, type SharingPolicy } from '#sharing';
import { capabilityDocument, type CallerRights } from './capability-document';

/** The document's bytes, made once for a version of the policy and the entries and a caller's rights. */
@Injectable()
export class RenderedCapabilities {
  private policy: SharingPolicy | undefined;
  private entries: ReadonlyMap<string, CapabilityEntry> | undefined;
  private readonly byRights = new Map<string, RenderedData>();

  constructor(
    private readonly source: CachedPolicy,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  async forGroups(groups: readonly string[]): Promise<RenderedData> {
    const [policy, entries] = await Promise.all([this.source.current(), this.source.capabilityEntries()]);
    if (policy !== this.policy || entries !== this.entries) {
      this.byRights.clear();
      this.policy = policy;
      this.entries = entries;
    }
    const rights = { canShare: mayShare(policy, groups), canCreateLinks: mayCreateLinks(policy, groups) };
    const key = `${rights.canShare} ${rights.canCreateLinks}`;
    const known = this.byRights.get(key);
    if (known) return known;
    const rendered = this.render(policy, rights, entries);
    this.byRights.set(key, rendered);
    return rendered;
  }

  private render(policy: SharingPolicy, rights: CallerRights, entries: ReadonlyMap<string, CapabilityEntry>): RenderedData {
    const document = capabilityDocument(policy, rights, entries, this.config.COMPATIBILITY);
    const json = writeJson(document);
    const xml = writeXml('data', document, 1);
    return { toJson: () => json, toXml: () => xml };
  }
}
