import { ocs } from './ocs';
import { request } from './http';

const OPERATED = 'apps/drawbridge/api/v1';
const CONFIG = 'apps/provisioning_api/api/v1/config/apps';
const TRUST = 'apps/federation/api/v1/partners';

/** A run-time setting. */
export interface Setting {
  readonly app: string;
  readonly key: string;
  readonly value: string;
  readonly is_default: boolean;
  readonly default: string;
  readonly meaning: string;
}
export const listSettings = (): Promise<Setting[]> => ocs('GET', `${OPERATED}/settings`);
export const changeSetting = ({ app, key }: Setting, value: string): Promise<unknown> =>
  ocs('POST', `${CONFIG}/${app}/${key}`, { value });
export const resetSetting = ({ app, key }: Setting): Promise<unknown> =>
  ocs('DELETE', `${CONFIG}/${app}/${key}`);

/** A partner and its state. Times are ISO 8601. */
export interface Partner {
  readonly host: string;
  readonly trust: string;
  readonly paused: boolean;
  readonly breaker: string;
  readonly waiting: number;
  readonly underWay: number;
  readonly dead: number;
  readonly waitingSince: string | null;
}
/** Partners by host, behind `after`, whose host contains `search`; 100 at a time. */
export const listPartners = (search: string, after: string): Promise<Partner[]> =>
  ocs('GET', `${OPERATED}/partners`, { search, after });
/** @param more direction, signatures, handshake */
export const setPartnerTrust = (
  host: string,
  trust: string,
  more: Record<string, string> = {},
): Promise<unknown> => ocs('POST', TRUST, { host, trust, ...more });

/** A message to a partner. Times are ISO 8601. */
export interface Delivery {
  readonly id: number;
  readonly host: string;
  readonly kind: string;
  readonly subject: string;
  readonly state: string;
  readonly attempts: number;
  readonly errorClass: string | null;
  readonly error: string | null;
  readonly nextAttempt: string | null;
  readonly created: string;
}
/** One attempt to deliver it. */
interface DeliveryAttempt {
  readonly attempt: number;
  readonly at: string;
  readonly outcome: string;
  readonly error: string | null;
  readonly httpStatus: number | null;
  readonly durationMs: number | null;
}
/** A message with its attempts, and the request that caused it. */
interface DeliveryDetails extends Delivery {
  readonly tries: DeliveryAttempt[];
  readonly requestId: string | null;
  readonly traceId: string | null;
}
/** Number of messages that are read at a time. */
export const DELIVERY_PAGE = 100;
export const listDeliveries = (chosen: Record<string, string>): Promise<Delivery[]> =>
  ocs('GET', `${OPERATED}/deliveries`, chosen);
export const readDelivery = (id: number): Promise<DeliveryDetails> =>
  ocs('GET', `${OPERATED}/deliveries/${id}`);
export const retryDelivery = (id: number): Promise<unknown> =>
  ocs('POST', `${OPERATED}/deliveries/${id}/retry`);
export const replayDelivery = (id: number): Promise<unknown> =>
  ocs('POST', `${OPERATED}/deliveries/${id}/replay`);
export const cancelDelivery = (id: number): Promise<unknown> => ocs('DELETE', `${OPERATED}/deliveries/${id}`);
/** Sends given-up messages again. @returns how many messages */
export async function replayDead(chosen: Record<string, string>): Promise<number> {
  return (await ocs<{ replayed: number }>('POST', `${OPERATED}/deliveries/replay`, chosen)).replayed;
}

/** An event of the audit log. */
export interface AuditEvent {
  readonly id: number;
  readonly at: string;
  readonly actorKind: string;
  readonly actor: string | null;
  readonly action: string;
  readonly objectType: string;
  readonly objectId: string | null;
  readonly outcome: string;
  /** JSON text. */
  readonly detail: string;
}
/** A page of the log, and the start of the next one; null on the last page. */
export interface AuditPage {
  readonly events: AuditEvent[];
  readonly next: string | null;
}
export async function readAuditLog(filter: Record<string, string>): Promise<AuditPage> {
  const given = Object.entries(filter).filter(([, value]) => value !== '');
  const query = new URLSearchParams([...given, ['format', 'json']]);
  const reply = await request(`/ocs/v2.php/apps/audit/api/v1/events?${query}`, {
    headers: { 'ocs-apirequest': 'true' },
  });
  const events = ((await reply.json()) as { ocs: { data: AuditEvent[] } }).ocs.data;
  return { events, next: reply.headers.get('x-next-cursor') };
}
