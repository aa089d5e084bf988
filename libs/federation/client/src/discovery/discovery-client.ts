import {
  baseUrlOf,
  concludeDiscovery,
  DIALECTS,
  hostIdentity,
  LEGACY_PROBE,
  MAX_DISCOVERY_LENGTH,
  OCM_PROBES,
  ownAddress,
  parseBoundedJson,
  readOcmDocument,
  readOcsDocument,
  type Dialects,
  type DiscoveryConclusion,
  type FailureClass,
  type HostAndPath,
  type HostIdentity,
  type NamedHosts,
  type OcmDocument,
  type PeerProduct,
  type Probe,
  type Scheme,
} from '#federation/protocol';
import type { ReadKeys } from '#persistence';
import { PRODUCT_NAME } from '#platform';
import { EgressFailed } from '../egress/egress-failed';
import type { ExchangeAnswer, GuardedClient } from '../egress/guarded-client';
import { NO_KEYS, readAnnouncedKeys } from './announced-keys';

/** One request of a discovery, for operators. */
export interface DiscoveryStep {
  readonly url: string;
  /** HTTP status; null without an answer. */
  readonly status: number | null;
  /** Reason why there is no answer; null with an answer. */
  readonly errorClass: FailureClass | null;
  readonly durationMs: number;
  readonly foundDocument: boolean;
}

export interface DiscoveryReport {
  readonly conclusion: DiscoveryConclusion;
  /** Keys with which the partner signs; none if the server is no partner. */
  readonly keys: ReadKeys;
  readonly steps: readonly DiscoveryStep[];
}

export interface DiscoveryRequestOptions {
  /** Other hosts that an operator named for this partner. */
  readonly named?: NamedHosts;
  /** The product, if an operator set it. */
  readonly product?: PeerProduct;
  /** Milliseconds for all requests together. */
  readonly budgetMs?: number;
  /** Ends the discovery early, with an inconclusive result. */
  readonly signal?: AbortSignal;
}

/** Presumed address of a partner, with the scheme that was written for it. */
export type PartnerPlace = HostAndPath & { readonly scheme: Scheme | null };

const DEFAULT_BUDGET_MS = 20_000;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Asks servers which protocols they speak. */
export class DiscoveryClient {
  constructor(
    private readonly client: GuardedClient,
    /** Whether http is tried when https fails. The client's own rules still check each address. */
    private readonly allowHttp: boolean,
    private readonly now: () => number = Date.now,
    private readonly dialects: Dialects = DIALECTS,
  ) {}

  /** Never throws for errors of a partner: they are part of the result. */
  async discover(place: PartnerPlace, options: DiscoveryRequestOptions = {}): Promise<DiscoveryReport> {
    const schemes: Scheme[] = this.allowHttp && place.scheme !== 'https' ? ['https', 'http'] : ['https'];
    const deadline = this.now() + (options.budgetMs ?? DEFAULT_BUDGET_MS);
    const steps: DiscoveryStep[] = [];
    let found: Omit<DiscoveryReport, 'steps'> | undefined;
    for (const scheme of schemes) {
      const questions = new Questions(this.client, {
        baseUrl: baseUrlOf(place, scheme),
        host: hostIdentity(place),
        deadline,
        now: this.now,
        steps,
        signal: options.signal,
        dialects: this.dialects,
      });
      const latest = await questions.conclude(options);
      // The failure of https says more than the fact that http is not allowed here.
      if (!found || !isBlockedHttp(latest.conclusion)) found = latest;
      if (latest.conclusion.kind === 'partner' || !questions.neverConnected) break;
    }
    return { ...found!, steps };
  }
}

const isBlockedHttp = (conclusion: DiscoveryConclusion): boolean =>
  conclusion.kind === 'inconclusive' && conclusion.errorClass === 'blocked-http';

/** The requests to one base address. */
class Questions {
  /** Whether no connection was made at all: the server may still answer by another scheme. */
  neverConnected = false;

  constructor(
    private readonly client: GuardedClient,
    private readonly frame: {
      readonly baseUrl: string;
      /** The host to which keys have to belong. */
      readonly host: HostIdentity;
      /** In UNIX milliseconds. */
      readonly deadline: number;
      readonly now: () => number;
      readonly steps: DiscoveryStep[];
      readonly signal: AbortSignal | undefined;
      readonly dialects: Dialects;
    },
  ) {}

  async conclude(options: DiscoveryRequestOptions): Promise<Omit<DiscoveryReport, 'steps'>> {
    const ocmProbes: Probe<OcmDocument>[] = [];
    const conclusion = await this.conclusion(ocmProbes, options);
    const document = ocmProbes.find((probe) => probe.kind === 'document')?.document;
    const isPartner = conclusion.kind === 'partner' && document !== undefined;
    if (!isPartner) return { conclusion, keys: NO_KEYS };
    const { baseUrl, host } = this.frame;
    const ask = async (url: string, read: (value: unknown) => string) => (await this.ask(url, read)).probe;
    return { conclusion, keys: await readAnnouncedKeys(document, baseUrl, host, ask) };
  }

  /** @param ocmProbes collects the requests that were made */
  private async conclusion(
    ocmProbes: Probe<OcmDocument>[],
    { named = [], product }: DiscoveryRequestOptions,
  ): Promise<DiscoveryConclusion> {
    for (const path of OCM_PROBES) {
      const { probe, isOver } = await this.ask(`${this.frame.baseUrl}${path}`, readOcmDocument);
      ocmProbes.push(probe);
      if (isOver && probe.kind === 'failed') return { kind: 'inconclusive', errorClass: probe.errorClass };
      if (probe.kind === 'document') break;
    }
    const { probe: ocsProbe } = await this.ask(`${this.frame.baseUrl}${LEGACY_PROBE}`, readOcsDocument);
    return concludeDiscovery(this.frame.baseUrl, ocmProbes, ocsProbe, {
      named,
      product,
      ownName: PRODUCT_NAME,
      now: this.frame.now(),
      dialects: this.frame.dialects,
    });
  }

  /** `isOver` if another request could only fail in the same way. */
  private async ask<T>(
    url: string,
    read: (value: unknown) => T | undefined,
  ): Promise<{ probe: Probe<T>; isOver: boolean }> {
    const startedAt = this.frame.now();
    const note = (status: number | null, errorClass: FailureClass | null, foundDocument: boolean): void => {
      this.frame.steps.push({
        url,
        status,
        errorClass,
        durationMs: this.frame.now() - startedAt,
        foundDocument,
      });
    };
    try {
      const answer = await this.get(url);
      const probe = readProbe(answer, read);
      note(answer.status, probe.kind === 'failed' ? probe.errorClass : null, probe.kind === 'document');
      return { probe, isOver: false };
    } catch (error) {
      if (!(error instanceof EgressFailed)) throw error;
      note(null, error.failure, false);
      this.neverConnected = !error.mayHaveArrived;
      return { probe: { kind: 'failed', errorClass: error.failure }, isOver: true };
    }
  }

  /** Follows one redirect on the same server: reva redirects `/ocm-provider` in this way. */
  private async get(url: string): Promise<ExchangeAnswer> {
    const answer = await this.getOnce(url);
    const location = answer.headers.location;
    if (!REDIRECTS.has(answer.status) || location === undefined) return answer;
    const staysHere = ownAddress(location, url, []) !== undefined;
    return staysHere ? this.getOnce(new URL(location, url).href) : answer;
  }

  private getOnce(url: string): Promise<ExchangeAnswer> {
    const remainingMs = Math.max(this.frame.deadline - this.frame.now(), 1);
    const headers = { accept: 'application/json' };
    return this.client.exchange({ method: 'GET', url, headers, signal: this.frame.signal }, remainingMs);
  }
}

function readProbe<T>(answer: ExchangeAnswer, read: (value: unknown) => T | undefined): Probe<T> {
  if (answer.incomplete) return { kind: 'failed', errorClass: answer.incomplete };
  if (answer.status === 429) return { kind: 'failed', errorClass: 'limited' };
  // ownCloud answers 501 when sharing is turned off.
  if (answer.status >= 500 && answer.status !== 501) return { kind: 'failed', errorClass: 'partner-error' };
  const document =
    answer.status === 200 ? read(parseBoundedJson(answer.text, MAX_DISCOVERY_LENGTH)) : undefined;
  return document === undefined ? { kind: 'none' } : { kind: 'document', document };
}
