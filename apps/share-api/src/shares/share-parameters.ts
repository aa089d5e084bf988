import {
  anything,
  digits,
  integer,
  leadingInteger,
  single,
  switched,
  text,
  type InputField,
  type InputOf,
  type OcsParameters,
  type ParameterValue,
} from '#ocs/protocol';
import {
  differencesOf,
  parseAttributes,
  parsePage,
  SharingFailed,
  type Compatibility,
  type CreateShareCommand,
  type ListSharesCommand,
  type UpdateShareCommand,
} from '#sharing';

/** A share id in a path: digits only. Any other text is an id without a share. */
export function parseShareId(raw: string): number {
  return /^\d{1,15}$/.test(raw) ? Number(raw) : 0;
}

/** Arguments of an update in the interface document; password, name and publicUpload act on public links. */
const UPDATE_ARGUMENTS = {
  permissions: single(
    integer('Permissions of the recipient: 1 read, 2 update, 4 create, 8 delete, 16 share; their sum.', {
      minimum: 0,
      maximum: 31,
    }),
  ),
  password: single(text('Password of a public link; empty for none.')),
  publicUpload: anything('Whether visitors of a public link may add files to the folder.', {
    type: 'string',
    enum: ['true', 'false'],
  }),
  expireDate: single(
    text('The last day, as YYYY-MM-DD; an empty text in an update removes it.', { examples: ['2030-12-31'] }),
  ),
  name: single(text('Label of a public link.')),
};

/** Parameters of an update. */
export const UPDATE_SHARE = {
  ...UPDATE_ARGUMENTS,
  attributes: anything(
    'Further conditions: a list of objects with scope, key and enabled, or its JSON text; empty for none.',
    {},
  ),
  note: single(text('Note to the recipients, up to 1000 characters; empty for none.')),
};

export const CREATE_SHARE = {
  path: text('Path of the file or folder, from the root of the caller.', {
    examples: ['/Documents/plan.txt'],
  }),
  shareType: digits(
    '0 user, 1 group, 3 public link, 6 account of another server, 9 group of another server (if a setting allows it).',
    {
      enum: [0, 1, 3, 6, 9],
    },
  ),
  shareWith: text('User id, group id, or federated cloud id; not for public links.'),
  ...UPDATE_SHARE,
};

/** Accepts any text except the empty one and `0`, even `false`. */
const mentioned = (about: string): InputField<boolean> => ({
  read: (parameters, name) => !['', '0'].includes(parameters.text(name) ?? ''),
  schema: { type: 'string' },
  about,
});

export const LIST_SHARES = {
  shared_with_me: switched('Whether the received shares are listed, instead of the caller’s own.'),
  state: text('State of received shares: 0 or accepted, 1 or pending, 2 or rejected, all.'),
  reshares: switched('Whether shares of the same nodes by other users are listed too.'),
  subfiles: switched('Whether the shares of the entries in the folder at `path` are listed.'),
  path: text('Only shares of this file or folder.'),
  share_types: text('Only these types, separated by commas.', { examples: ['0,1,3,6'] }),
  include_tags: mentioned('Whether the records say which tags the node has; any value but 0 does.'),
  limit: text('Maximum number of records of a page.'),
  cursor: text('Where the page begins: X-Next-Cursor of the page before.'),
};

/** @throws SharingFailed attributes-invalid, upload-flag-invalid */
export function createCommandOf(
  input: InputOf<typeof CREATE_SHARE>,
  compatibility: Compatibility,
): CreateShareCommand {
  return {
    path: input.path,
    shareType: input.shareType ?? -1,
    shareWith: input.shareWith,
    ...commonArgumentsOf(input, compatibility),
  };
}

function commonArgumentsOf(input: InputOf<typeof UPDATE_SHARE>, compatibility: Compatibility) {
  const { permissions, expireDate, attributes, publicUpload, password, name, note } = input;
  return {
    permissions,
    expireDate,
    attributes: attributes === undefined || attributes === null ? undefined : parseAttributes(attributes),
    publicUpload: uploadFlagOf(publicUpload, differencesOf(compatibility).oddUploadFlagIgnored),
    password,
    name,
    note,
  };
}

function uploadFlagOf(raw: ParameterValue | undefined, onlyWords: boolean): boolean | undefined {
  if (raw === 'true' || raw === 'false') return raw === 'true';
  if (raw === undefined || raw === null || onlyWords) return undefined;
  if (typeof raw === 'boolean') return raw;
  throw new SharingFailed('upload-flag-invalid');
}

/**
 * @param parameters of the request, which show all sent arguments, readable or not
 * @throws SharingFailed attributes-invalid, upload-flag-invalid
 */
export function updateCommandOf(
  id: number,
  input: InputOf<typeof UPDATE_SHARE>,
  parameters: OcsParameters,
  compatibility: Compatibility,
): UpdateShareCommand {
  return {
    id,
    ...commonArgumentsOf(input, compatibility),
    argumentCount: Object.keys(UPDATE_ARGUMENTS).filter((name) => parameters.has(name)).length,
  };
}

export function listCommandOf(input: InputOf<typeof LIST_SHARES>): ListSharesCommand {
  return {
    sharedWithMe: input.shared_with_me === true,
    state: input.state,
    reshares: input.reshares === true,
    subfiles: input.subfiles === true,
    path: input.path,
    page: parsePage(input.limit, input.cursor),
    shareTypes: input.share_types
      ? input.share_types
          .split(',', 32)
          .map(leadingInteger)
          .filter((type) => type >= 0 && type < 100)
      : undefined,
  };
}
