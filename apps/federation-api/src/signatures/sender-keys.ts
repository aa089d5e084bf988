import { hostOfPeer, SignatureRefused, type Signer } from '#federation/protocol';
import type { KeyAnswer, PartnerKeys } from '#federation/signatures';
import type { PartnerKeySource } from './partner-key-source';

/** The keys of those whom a message can be of: nobody else's are looked for, whatever it names. */
export class SenderKeys implements PartnerKeys {
  /** Whom the message names; undefined until it was found in order so far. */
  named: Signer | undefined;

  /** @param hosts as in peer keys */
  constructor(
    private readonly hosts: readonly string[],
    private readonly source: PartnerKeySource,
  ) {}

  /** Those of the hosts that are at this one: `host[:port]`. */
  hostsOf(signerHost: string): string[] {
    return this.hosts.filter((host) => hostOfPeer(host) === signerHost);
  }

  /** @throws SignatureRefused wrong-signer */
  find(signer: Signer): Promise<KeyAnswer> {
    this.named = signer;
    return this.source.find(this.hostOf(signer), signer);
  }

  /** @throws SignatureRefused wrong-signer */
  findAnew(signer: Signer): Promise<KeyAnswer> {
    return this.source.findAnew(this.hostOf(signer), signer);
  }

  private hostOf({ host }: Signer): string {
    const [first] = this.hostsOf(host);
    if (first === undefined) throw new SignatureRefused('wrong-signer');
    return first;
  }
}
