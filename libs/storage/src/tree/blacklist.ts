import { TreeFailure } from './tree-failure';

/** File names that the capabilities announce as `blacklisted_files` and `blacklisted_files_regex`. */
const BLACKLISTED_FILES: readonly string[] = ['.htaccess'];
const BLACKLISTED_FILES_REGEX = '\\.(part|filepart)$';

const PARTIAL = new RegExp(BLACKLISTED_FILES_REGEX, 'i');

/**
 * Refuses names that deployed servers keep for themselves; asked wherever an entry gets a name.
 * @throws TreeFailure `name-blacklisted` for a blacklisted file, `name-refused` for a backslash and for the suffix of a
 * partial upload
 */
export function refuseBlacklisted(name: string): void {
  if (BLACKLISTED_FILES.includes(name.toLowerCase())) {
    throw new TreeFailure('name-blacklisted', 'The file name is blacklisted');
  }
  if (name.includes('\\'))
    throw new TreeFailure(
      'name-refused',
      'A name cannot hold a backslash, which is a separator on some clients',
    );
  if (PARTIAL.test(name)) {
    throw new TreeFailure('name-refused', 'Files with this extension are reserved for uploads under way');
  }
}
