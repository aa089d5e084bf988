import { hostOfAddress, SignatureRefused, type HostIdentity, type Signer } from '#federation/protocol';
import type { KeyAnswer, PartnerKeys } from '#federation/signatures';
import type { PartnerKeySource } from './partner-key-source';

/** Maximum of partners that are asked for the key of one message whose key id names none of them. */
const MOST_ASKED = 8;

/** The keys of a message's possible senders: keys of other partners are not fetched, even if the message names their key id. */
export class SenderKeys implements PartnerKeys {
  /** The signer in the message; undefined until its form was found valid. */
  named: Signer | undefined;

  /** @param hosts as in peer keys */
  constructor(
    private readonly hosts: readonly string[],
    private readonly source: PartnerKeySource,
  ) {}

  /** Partners of this list at this host. */
  hostsOf(signerHost: HostIdentity | null): string[] {
    return this.hosts.filter((host) => hostOfAddress(host) === signerHost);
  }

  /** @throws SignatureRefused wrong-signer */
  find(signer: Signer): Promise<KeyAnswer> {
    this.named = signer;
    return this.firstOf(signer, (host) => this.source.find(host, signer));
  }

  /** @throws SignatureRefused wrong-signer */
  findAnew(signer: Signer): Promise<KeyAnswer> {
    return this.firstOf(signer, (host) => this.source.findAnew(host, signer));
  }

  /** Asks the host in the key id if it is a possible sender, otherwise all of them: an id of RFC 9421 may be any text. */
  private async firstOf(signer: Signer, ask: (host: string) => Promise<KeyAnswer>): Promise<KeyAnswer> {
    const [named] = this.hostsOf(signer.host);
    const asked = named === undefined ? this.hosts.slice(0, MOST_ASKED) : [named];
    let answer: KeyAnswer = { kind: 'unknown' };
    for (const host of asked) {
      const one = await ask(host);
      if (one.kind === 'found') return one;
      if (one.kind === 'unavailable') answer = one;
    }
    const isElsewhere = named === undefined && signer.host !== null;
    if (isElsewhere && answer.kind === 'unknown') throw new SignatureRefused('wrong-signer');
    return answer;
  }
}
