import { ocs } from './ocs';

const STORED_WRITES = 'apps/drawbridge/api/v1/stored-writes';

/** A file that was written into a folder of a partner and waits to be delivered. Times are Unix seconds. */
export interface StoredWrite {
  readonly id: number;
  readonly path: string;
  readonly share: string;
  /** Host. */
  readonly partner: string;
  readonly size: number;
  readonly state: 'waiting' | 'under-way' | 'given-up' | 'refused';
  readonly stored_at: number;
  readonly next_attempt: number;
  /** Failure of the last attempt; empty for none. */
  readonly last_error: string;
}

export const listStoredWrites = (): Promise<StoredWrite[]> => ocs('GET', STORED_WRITES);
export const retryStoredWrite = ({ id }: StoredWrite): Promise<unknown> =>
  ocs('POST', `${STORED_WRITES}/${id}/retry`);
/** The content becomes a file of its writer. */
export const giveUpStoredWrite = ({ id }: StoredWrite): Promise<unknown> =>
  ocs('DELETE', `${STORED_WRITES}/${id}`);
