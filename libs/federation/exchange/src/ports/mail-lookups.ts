import type { FederatedCloudId, MailAddress } from '#federation/protocol';
import type { PolicySource } from '#sharing';
import type { ReachedPartner, ReachedPartners } from './reached-partners';

/** Accounts that the server of a mail address names for it, best first, or the reason why it could not be asked. */
export type MailAnswer =
  | { readonly kind: 'accounts'; readonly accounts: readonly FederatedCloudId[] }
  | { readonly kind: 'failed'; readonly reason: string };

/** Result of a search for the account of a mail address. `failed` is remembered for a shorter time than `none`. */
export type MailLookupResult =
  | { readonly state: 'found'; readonly cloudId: string }
  | { readonly state: 'none' }
  | { readonly state: 'failed'; readonly reason: string };

/** Everything that a search for the account of a mail address needs. */
export interface MailLookupPorts<Partner extends ReachedPartner = ReachedPartner> {
  readonly lookups: {
    /** The address to ask for; undefined if its server was asked already. */
    waiting(id: number): Promise<string | undefined>;
    settle(id: number, result: MailLookupResult): Promise<void>;
  };
  readonly calls: {
    /** Never throws for errors of the server. @param server `host[:port]` */
    ask(server: string, mail: MailAddress): Promise<MailAnswer>;
  };
  readonly partners: Pick<ReachedPartners<Partner>, 'profileOf'> & {
    /** The partner at this address, which may be new. */
    at(hostKey: string): Promise<Partner>;
  };
  readonly policy: PolicySource;
  /** Our own address, without a trailing slash. */
  readonly publicUrl: string;
}
