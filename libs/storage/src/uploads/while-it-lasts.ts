import { UploadRepository, type Database, type UploadRow } from '#persistence';

/**
 * Changes or ends an upload that nobody else changes or ends meanwhile. If it becomes a file at the same time, this waits for the outcome.
 * @returns undefined if it has ended
 */
export function whileItLasts<T>(
  database: Database,
  { id }: Pick<UploadRow, 'id'>,
  work: (uploads: UploadRepository) => Promise<T>,
): Promise<T | undefined> {
  return database.transaction(async (transaction) => {
    const uploads = new UploadRepository(transaction);
    return (await uploads.lock(id)) && (await work(uploads));
  });
}
