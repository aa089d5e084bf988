import { TreeFailure } from './tree-failure';

/** XML cannot contain them: a property with such a name would be another name. */
const NO_XML = /[\ufffe\uffff]/;
const PARTIAL = /\.(part|filepart)$/i;

/**
 * Refuses names that clients and deployed servers reserve. It is called wherever an entry gets a name.
 * @throws TreeFailure `name-refused` for a backslash, for what XML cannot contain, and for the suffix of a partial upload
 */
export function refuseReserved(name: string): void {
  if (name.includes('\\'))
    throw new TreeFailure(
      'name-refused',
      'A name cannot hold a backslash, which some clients read as a separator',
    );
  if (NO_XML.test(name))
    throw new TreeFailure(
      'name-refused',
      'A name cannot hold U+FFFE or U+FFFF, which are no characters of text',
    );
  const [extension] = PARTIAL.exec(name) ?? [];
  // Deployed clients show this text to people.
  if (extension !== undefined)
    throw new TreeFailure(
      'name-refused',
      `Can\`t upload files with extension ${extension.toLowerCase()} because these extensions are reserved for internal use.`,
    );
}
