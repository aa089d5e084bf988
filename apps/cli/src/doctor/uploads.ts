import { UploadFiguresRepository } from '#persistence';
import { ok, warning, type Check } from './finding';

const MEBIBYTE = 1024 ** 2;

/** Checks unfinished uploads, and whether abandoned ones are removed. */
export const UPLOADS_CHECK: Check = {
  name: 'uploads',
  needsSchema: true,
  look: async (instance) => {
    const { uploads, bytes, overdue } = await new UploadFiguresRepository(await instance.open()).figures();
    const seen = uploads === 0 ? 'none' : `${uploads} of ${Math.ceil(bytes / MEBIBYTE)} MiB`;
    const findings = [ok('unfinished', seen)];
    if (overdue > 0)
      findings.push(
        warning(
          'expired',
          `${overdue} should be gone for a day`,
          'The app files removes them once an hour: see whether it runs, and its log for "expired uploads".',
        ),
      );
    return findings;
  },
};
