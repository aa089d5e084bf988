import { ocs } from './ocs';

const OPERATION = 'apps/drawbridge/api/v1/operation';

/** Present state of the instance. Times are ISO 8601. */
export interface Overview {
  readonly deliveries: Readonly<
    Record<'pending' | 'queued' | 'inflight' | 'dead' | 'broken' | 'contentShut' | 'paused', number>
  >;
  readonly failing: { readonly errorClass: string; readonly messages: number }[];
  readonly partners: { readonly trust: string; readonly partners: number }[];
  readonly waiting: { readonly host: string; readonly seconds: number }[];
  readonly database: {
    readonly version: number;
    readonly connections: number;
    readonly maxConnections: number;
  };
  /** Each with its version, number and machine, such as `0.1.0 4711@gateway-1`. */
  readonly processes: { readonly name: string; readonly connections: number; readonly since: string }[];
  /** `jobs` is null if the queue cannot be asked. */
  readonly queues: { readonly name: string; readonly jobs: number | null }[];
}

export type Span = 'hours' | 'days';
/** Deliveries over time. */
export interface Samples {
  readonly spanSeconds: number;
  /** `at` in Unix seconds, `delivered` and `givenUp` per minute. */
  readonly samples: Readonly<Record<'at' | 'delivered' | 'givenUp' | 'waiting' | 'dead', number>>[];
}

export const readOverview = (): Promise<Overview> => ocs('GET', OPERATION);
export const readSamples = (span: Span): Promise<Samples> => ocs('GET', `${OPERATION}/samples`, { span });

/** A finding of the doctor. */
export interface Finding {
  readonly check: string;
  readonly subject: string;
  readonly state: 'ok' | 'warning' | 'failed';
  readonly seen: string;
  readonly advice?: string;
}
export const readFindings = (): Promise<Finding[]> => ocs('GET', `${OPERATION}/findings`);
