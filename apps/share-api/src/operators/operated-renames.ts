import { Inject, Injectable } from '@nestjs/common';
import { OcsFailure } from '#ocs/http';
import type { OcsValue } from '#ocs/protocol';
import { Database, PeerRenameRepository, type SettledRename } from '#persistence';
import { CONFIG, type Config } from '#platform';
import { PartnerRenames } from '#queue';
import { hostKeyOf, unknown } from './operated-partners';

/** A partner and its new host, as an operator spells them. */
export interface NamedHosts {
  readonly host: string;
  readonly newHost: string;
}

/** Partners that moved to another host; the command line uses the same code. */
@Injectable()
export class OperatedRenames {
  private readonly moves: PeerRenameRepository;

  constructor(
    private readonly renames: PartnerRenames,
    database: Database,
    @Inject(CONFIG) private readonly config: Config,
  ) {
    this.moves = new PeerRenameRepository(database);
  }

  /** Counts the rows that would be moved, with the result of the last attempt. No host is asked. @throws OcsFailure */
  async plan(named: NamedHosts): Promise<OcsValue> {
    const hosts = await this.knownHosts(named);
    const [plan, last] = await Promise.all([this.moves.plan(hosts), this.renames.last(hosts)]);
    return { ...hosts, ...plan, last: last ? resultOf(last) : null };
  }

  /**
   * A worker calls both hosts, and moves everything if the new one shows shares of the old one.
   * @param uid the administrator
   * @throws OcsFailure
   */
  async rename(uid: string, named: NamedHosts, isOldHostGone: boolean): Promise<OcsValue> {
    const { from, to } = await this.knownHosts(named);
    const request = { from, to, isOldHostGone };
    return resultOf((await this.renames.rename(uid, request, this.config.FEDERATION_SYNC_WAIT)) ?? 'waiting');
  }

  /** @throws OcsFailure */
  private async knownHosts({ host, newHost }: NamedHosts) {
    const [from, to] = [hostKeyOf(host), hostKeyOf(newHost)];
    if (from === to) throw new OcsFailure(400, 'Both hosts are the same');
    const known = await this.moves.find({ from, to });
    if (!known) throw unknown();
    return { from, to, isDone: known.isDone };
  }
}

function resultOf(result: SettledRename | 'waiting') {
  if (result === 'waiting') return { state: result };
  return result.state === 'renamed' ? { state: result.state, ...result.moved } : { ...result };
}
