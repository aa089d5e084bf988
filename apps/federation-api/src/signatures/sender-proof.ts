import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Proof, ProvenSenders, SenderCheck, SigningHost } from '#federation/exchange';
import { FederationRefused } from '#federation/protocol';
import { verifyRequest, type ReceivedRequest, type Verification } from '#federation/signatures';
import { PartnerKeysRepository, SeenSignatureRepository } from '#persistence';
import { LOGGER, PublicAddress, type Logger } from '#platform';
import { CachedPolicy } from '#settings';
import { demandsSignature } from '#sharing';
import { PartnerKeySource } from './partner-key-source';
import { SenderKeys } from './sender-keys';

/**
 * Demand on the sender of an unsigned message. `legacy`: deployed servers sign nothing in that dialect, so an
 * announcement does not count. `unproven`: it counts. `asked`: it counts, and an unknown sender is asked. `confirmed`:
 * the sender itself is asked before the message has any effect.
 */
export type Otherwise = 'legacy' | 'unproven' | 'asked' | 'confirmed';

/**
 * Finds out whether messages come from the partners that they name: by their signatures or, for unsigned ones, by the policy.
 * Called after all cheap checks, because a partner may have to be asked for its keys.
 */
@Injectable()
export class SenderProof {
  private readonly logger: Logger;

  constructor(
    private readonly policy: CachedPolicy,
    private readonly partners: PartnerKeysRepository,
    private readonly source: PartnerKeySource,
    private readonly seen: SeenSignatureRepository,
    private readonly address: PublicAddress,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.logger = logger.child({ subsystem: 'signatures' });
  }

  /**
   * Whether the message is proven to come from `host`.
   *
   * @param host as in peer keys, `host[:port]`, with or without a path: installations in folders share their host's keys
   * @param otherwise `confirmed` if the sender itself is asked before the message has an effect: then the demand on signatures is
   * the same for all; `asked` if a sender without known keys is asked for its keys first
   * @param known facts about the host, if they were read already
   * @throws FederationRefused signature-wrong, signature-missing; key-unavailable if the key cannot be read now
   */
  async of(
    request: FastifyRequest,
    host: string,
    otherwise: Otherwise = 'unproven',
    known?: SigningHost,
  ): Promise<Proof> {
    const signers = await this.signers(request, [host]);
    if (signers.length > 0) return 'signed';
    const read = known && (() => Promise.resolve(known));
    return (await this.unsigned([host], otherwise, read)).proof;
  }

  /**
   * The same for a message with several possible senders.
   * @param hosts at least one
   * @throws FederationRefused as above; signature-missing if all of them have to sign
   */
  async among(
    request: FastifyRequest,
    hosts: readonly string[],
    otherwise: Otherwise = 'unproven',
  ): Promise<ProvenSenders> {
    const signers = await this.signers(request, hosts);
    return signers.length > 0 ? { proof: 'signed', hosts: signers } : this.unsigned(hosts, otherwise);
  }

  /**
   * The possible senders that signed the message; none if it is unsigned.
   * @throws FederationRefused signature-wrong; key-unavailable if the key cannot be read now
   */
  async signers(request: FastifyRequest, hosts: readonly string[]): Promise<readonly string[]> {
    const keys = new SenderKeys(hosts, this.source);
    const context = { keys, seen: this.seen, now: Date.now() };
    const verification = await verifyRequest(receivedRequest(request, this.address.url), context);
    if (verification.kind === 'unsigned') return [];
    if (verification.kind === 'invalid') {
      if (isUnreadable(verification) && (await this.ignoreUnreadable(hosts))) return [];
      throw this.refused(verification, hosts, keys.named?.keyId);
    }
    const signers = keys.hostsOf(verification.host);
    for (const host of signers) await this.partners.noteSigned(host);
    return signers;
  }

  /** Only if all of them are ignored: otherwise any unreadable signature would replace a missing one. */
  private async ignoreUnreadable(hosts: readonly string[]): Promise<boolean> {
    const known = await Promise.all(hosts.map((host) => this.partners.host(host)));
    return known.every((partner) => partner?.ignoresUnreadable === true);
  }

  /** The same questions for one request. */
  check(request: FastifyRequest, otherwise: Otherwise = 'unproven'): SenderCheck {
    return {
      among: (hosts) => this.among(request, hosts, otherwise),
      signers: (hosts) => this.signers(request, hosts),
    };
  }

  private async unsigned(
    hosts: readonly string[],
    otherwise: Otherwise,
    read = (host: string): Promise<SigningHost | undefined> => this.partners.host(host),
  ): Promise<ProvenSenders> {
    const policy = await this.policy.current();
    const passing: string[] = [];
    let proof: Proof = 'unsigned';
    for (const host of hosts) {
      const known = await read(host);
      const demands = (isSigner: boolean) => demandsSignature(policy, known?.signatures ?? null, isSigner);
      if (demands(isKnownSigner(known, otherwise))) continue;
      const signs = otherwise === 'asked' && demands(true) ? await this.source.signs(host, known) : 'no';
      if (signs === 'yes') continue;
      if (signs === 'unknown') proof = 'unknown';
      passing.push(host);
    }
    if (passing.length > 0) return { proof, hosts: passing };
    this.logger.warn({ reason: 'missing', partner: hosts[0] }, 'a message was refused');
    throw new FederationRefused('signature-missing');
  }

  private refused(
    { reason, detail }: Extract<Verification, { kind: 'invalid' }>,
    hosts: readonly string[],
    keyId: string | undefined,
  ): FederationRefused {
    this.logger.warn({ reason, detail, partner: hosts[0], keyId }, 'a message was refused');
    return new FederationRefused(reason === 'key-unavailable' ? reason : 'signature-wrong');
  }
}

/** Whether nothing could be checked. A signature that was checked and is wrong is always refused. */
const isUnreadable = ({ reason }: Extract<Verification, { kind: 'invalid' }>): boolean =>
  reason === 'malformed' || reason === 'untagged' || reason === 'unsupported';

function isKnownSigner(known: SigningHost | undefined, otherwise: Otherwise): boolean {
  if (!known || otherwise === 'confirmed') return false;
  return known.isSigner || (known.announces && otherwise !== 'legacy');
}

/** The raw request: the target of the request line below our own address, all headers, the body's bytes. */
function receivedRequest(
  { raw, originalUrl, url, method, body }: FastifyRequest,
  publicUrl: string,
): ReceivedRequest {
  return {
    method,
    // The original form, which was signed, rather than the canonical one; without the server name that proxies may add.
    url: `${publicUrl}${originalUrl.startsWith('/') ? originalUrl : url}`,
    rawHeaders: raw.rawHeaders,
    rawBody: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
  };
}
