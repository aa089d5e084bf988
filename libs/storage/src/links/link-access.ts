import { Injectable } from '@nestjs/common';
import {
  AccountDirectory,
  AuthenticationFailed,
  BrowserSessions,
  BudgetSpent,
  CallLimits,
  LinkPasswords,
} from '#identity';
import { Database, PublicLinkRepository, type PublicLinkRow } from '#persistence';
import { SecretBox } from '#platform';
import { CachedPolicy } from '#settings';
import {
  decideAccess,
  grantedThroughLink,
  PLAIN_SESSION,
  STRONG_SESSION,
  VISITOR_SESSION,
  type CallerSession,
  type NodeAccess,
} from '#sharing';
import { refuseUnproven } from '../tree/admission';
import type { SharedNodeView } from '../tree/tree-view';

/** A public link that gives access, after its password if it has one. */
export interface FoundLink {
  readonly row: PublicLinkRow;
  /** Permissions that are valid at the moment. */
  readonly mask: number;
  /** Sign-in of its visitor to this server; checked only if the link demands it. */
  readonly session: CallerSession;
}

/** The token gives no access. */
export class LinkUnavailable extends Error {
  constructor(
    /** `unknown`: no such link (any more). `inaccessible`: the link exists, but its node is not available. */
    readonly reason: 'unknown' | 'inaccessible',
  ) {
    super(`link ${reason}`);
  }
}

/** Admits holders of the token of a public link. */
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
    private readonly sessions: BrowserSessions,
  ) {
    this.links = new PublicLinkRepository(database);
  }

  /**
   * The link of a token, for a request without a password. @throws as `find`; BudgetSpent
   * @param cookies `Cookie` header of the request; undefined if it must be ignored
   */
  async visit(linkToken: string, address: string, cookies: string | undefined): Promise<FoundLink> {
    await this.limits.call(address);
    try {
      return await this.find(linkToken, cookies);
    } catch (error) {
      const isGuess = error instanceof LinkUnavailable && error.reason === 'unknown';
      const retryAfter = isGuess ? await this.limits.failed(address) : undefined;
      throw retryAfter === undefined ? error : new BudgetSpent(retryAfter);
    }
  }

  /** @throws LinkUnavailable; TreeFailure `account-needed`, `second-factor-needed` if the link demands that */
  async find(linkToken: string, cookies: string | undefined): Promise<FoundLink> {
    const key = this.secrets.lookup(linkToken);
    const row = await this.links.find(key);
    if (!row) {
      const nodeDeleted = await this.links.endedWithItsNode(key);
      throw new LinkUnavailable(nodeDeleted ? 'inaccessible' : 'unknown');
    }
    const mask = grantedThroughLink(await this.policy.current(), await this.accounts.find(row.initiatorUid));
    if (mask === 'links-off') throw new LinkUnavailable('unknown');
    if (mask === 'initiator-barred' || !row.stillPassedOn) throw new LinkUnavailable('inaccessible');
    const isOpen = decideAccess([[row]], VISITOR_SESSION).missing === undefined;
    const session = isOpen ? VISITOR_SESSION : await this.sessionOf(cookies);
    refuseUnproven(decideAccess([[row]], session));
    return { row, mask, session };
  }

  private async sessionOf(cookies: string | undefined): Promise<CallerSession> {
    const found = await this.sessions.find(cookies);
    if (!found || found.session.lacksSecondFactor) return VISITOR_SESSION;
    return found.session.strength === 'two_factors' ? STRONG_SESSION : PLAIN_SESSION;
  }

  /** @param password empty means none @throws AuthenticationFailed */
  async unlock({ row }: FoundLink, password: string, address: string): Promise<void> {
    const { shareId, passwordHash } = row;
    if (passwordHash === null) return;
    if (password === '') throw new AuthenticationFailed('missing');
    await this.passwords.verify({ shareId, passwordHash }, password, address);
  }

  /** Whether other requests than those of scripts on our own pages may use the endpoint with which partners mount links. */
  async mayBeMounted(): Promise<boolean> {
    return (await this.policy.current()).federation.outgoing;
  }
}

/** The tree that a link shows. */
export function viewOf({ row, mask, session }: FoundLink, showsFileInFolder: boolean): SharedNodeView {
  return { kind: 'shared-node', shareId: row.shareId, mask, showsFileInFolder, session };
}

/** Present permissions of the link. */
export const accessThrough = ({ row, mask, session }: FoundLink): NodeAccess =>
  decideAccess([[row]], session).within(mask);

/** Whether the link demands a sign-in to this server, which people at another server do not have. */
export const isForAccounts = ({ row }: FoundLink): boolean =>
  decideAccess([[row]], VISITOR_SESSION).missing !== undefined;
