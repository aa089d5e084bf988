import { Injectable } from '@nestjs/common';
import { AccountDirectory, AuthenticationFailed, BudgetSpent, CallLimits, LinkPasswords } from '#identity';
import { Database, PublicLinkRepository, type PublicLinkRow } from '#persistence';
import { SecretBox } from '#platform';
import { CachedPolicy } from '#settings';
import { decideAccess, grantedThroughLink, PLAIN_SESSION, type NodeAccess } from '#sharing';
import type { SharedNodeView } from '../tree/tree-view';

/** A public link that gives access, to whoever knows its password if it has one. */
export interface FoundLink {
  readonly row: PublicLinkRow;
  /** Permissions that count at the moment. */
  readonly mask: number;
}

/** There is no access through a token. */
export class LinkUnavailable extends Error {
  constructor(
    /** `unknown`: no such link (any more). `inaccessible`: there is one, but what it shares cannot be had. */
    readonly reason: 'unknown' | 'inaccessible',
  ) {
    super(`link ${reason}`);
  }
}

/** Lets in whoever holds the token of a public link. */
@Injectable()
export class LinkAccess {
  private readonly links: PublicLinkRepository;

  constructor(
    database: Database,
    private readonly secrets: SecretBox,
    private readonly policy: CachedPolicy,
    private readonly accounts: AccountDirectory,
    private readonly passwords: LinkPasswords,
    private readonly limits: CallLimits,
  ) {
    this.links = new PublicLinkRepository(database);
  }

  /** The link of a token that came without anything else. @throws LinkUnavailable, BudgetSpent */
  async visit(linkToken: string, address: string): Promise<FoundLink> {
    await this.limits.call(address);
    try {
      return await this.find(linkToken);
    } catch (error) {
      const isGuess = error instanceof LinkUnavailable && error.reason === 'unknown';
      const retryAfter = isGuess ? await this.limits.failed(address) : undefined;
      throw retryAfter === undefined ? error : new BudgetSpent(retryAfter);
    }
  }

  /** @throws LinkUnavailable */
  async find(linkToken: string): Promise<FoundLink> {
    const key = this.secrets.lookup(linkToken);
    const row = await this.links.find(key);
    if (!row) {
      const nodeDeleted = await this.links.endedWithItsNode(key);
      throw new LinkUnavailable(nodeDeleted ? 'inaccessible' : 'unknown');
    }
    const mask = grantedThroughLink(await this.policy.current(), await this.accounts.find(row.initiatorUid));
    if (mask === 'links-off') throw new LinkUnavailable('unknown');
    if (mask === 'initiator-barred' || !row.stillPassedOn) throw new LinkUnavailable('inaccessible');
    return { row, mask };
  }

  /** @param password empty counts as none @throws AuthenticationFailed */
  async unlock({ row }: FoundLink, password: string, address: string): Promise<void> {
    const { shareId, passwordHash } = row;
    if (passwordHash === null) return;
    if (password === '') throw new AuthenticationFailed('missing');
    await this.passwords.verify({ shareId, passwordHash }, password, address);
  }

  /** Whether requests that no script on one of our pages makes may use the endpoint that partners mount links by. */
  async mayBeMounted(): Promise<boolean> {
    return (await this.policy.current()).federation.outgoing;
  }
}

/** The tree that a link shows. */
export function viewOf({ row, mask }: FoundLink, showsFileInFolder: boolean): SharedNodeView {
  return { kind: 'shared-node', shareId: row.shareId, mask, showsFileInFolder };
}

/** Permissions of the link at the moment. */
export const accessThrough = ({ row, mask }: FoundLink): NodeAccess =>
  decideAccess([[row]], PLAIN_SESSION).within(mask);
