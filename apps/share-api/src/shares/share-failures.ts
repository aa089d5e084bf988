import { OcsFailure } from '#ocs/http';
import { SharingFailed, type SharingFailure } from '#sharing';

/** A failure on the wire; `update` if an update answers with another code or text. */
interface Answer {
  readonly code: number;
  readonly message: string;
  readonly update?: { readonly code: number; readonly message?: string };
  /** Replaces `{words}` if the partner sent no text. */
  readonly wordless?: string;
}

const WRONG_ID = "Wrong share ID, share doesn't exist";

const answer = (code: number, message: string, update?: Answer['update']): Answer => ({
  code,
  message,
  update,
});
/** Refusals with 403 for a create and 400 for an update. */
const refusal = (message: string): Answer => answer(403, message, { code: 400 });

/** Begins with the text of deployed servers, and adds the cause. */
const notFound = (cause: string): Answer =>
  answer(403, `Sharing {name} failed, could not find {recipient}, ${cause}.`);
const refusedThere = (text: string, wordless: string): Answer => ({
  ...answer(403, `Federated Sharing failed: ${text}`),
  wordless,
});

/** The one mapping from refusals to OCS codes and texts. Source: ocs-facts 5. */
const ANSWERS: Readonly<Record<SharingFailure, Answer>> = {
  'api-disabled': answer(404, 'Share API is disabled'),
  'path-missing': answer(404, 'Please specify a file or folder path'),
  'path-wrong': answer(404, "Wrong path, file/folder doesn't exist"),
  'not-a-folder': answer(400, 'Not a directory'),
  'limit-invalid': answer(400, 'Invalid limit'),
  'cursor-invalid': answer(400, 'Invalid cursor'),
  'share-unknown': answer(404, WRONG_ID),
  'share-type-unknown': answer(400, 'Unknown share type'),
  'attributes-invalid': answer(400, 'Invalid attributes, a list of scope, key and enabled is expected'),
  'upload-flag-invalid': answer(400, 'The parameter publicUpload is true or false'),
  'only-for-links': answer(400, 'The parameter {name} is only possible for public links'),
  'date-invalid': answer(404, 'Invalid date, date format must be YYYY-MM-DD', {
    code: 400,
    message: 'Invalid date. Format must be YYYY-MM-DD',
  }),
  'expiry-past': answer(404, 'Expiration date is in the past'),
  'expiry-too-far': answer(404, 'Cannot set expiration date more than {days} days in the future'),
  'expiry-enforced': refusal('Expiration date is enforced'),
  'user-unknown': answer(404, 'Please specify a valid user'),
  'group-unknown': answer(404, 'Please specify a valid group'),
  'group-sharing-disabled': answer(404, 'Group sharing is disabled by the administrator'),
  'group-sharing-off': refusal('Group sharing is not allowed'),
  'group-blacklisted': answer(403, 'The group is blacklisted for sharing'),
  'links-disabled': answer(404, 'Public link sharing is disabled by the administrator'),
  'links-off': refusal('Link sharing not allowed'),
  'link-creation-limited': answer(403, 'Public link creation is only possible for certain groups'),
  'public-upload-disabled': answer(403, 'Public upload disabled by the administrator'),
  'public-upload-on-file': answer(404, 'Public upload is only possible for publicly shared folders', {
    code: 400,
  }),
  'link-permissions': answer(400, "Can't change permissions for public share links"),
  'link-upload-off': refusal('Public upload not allowed'),
  'link-password-enforced': refusal('Passwords are enforced for link shares'),
  'link-password-refused': refusal('{reason}'),
  'link-name-too-long': refusal('Share name cannot be more than 64 characters'),
  'note-too-long': refusal('The note cannot be more than 1000 characters'),
  'remote-disabled': answer(
    403,
    'Sharing {path} failed because the back end does not allow shares from type 6',
  ),
  'remote-recipient-invalid': answer(404, 'shareWith parameter must be a string'),
  'remote-not-allowed': answer(403, 'Sharing with {host} is not allowed by the administrator'),
  'remote-not-invited': answer(403, 'Sharing with {host} needs an invitation that one of you accepted'),
  'remote-same-user': answer(403, 'Not allowed to create a federated share with the same user'),
  'remote-duplicate': answer(
    403,
    'Sharing {name} failed, because this item is already shared with {recipient}',
  ),
  'remote-unreachable': answer(
    403,
    'Sharing {name} failed, could not find {recipient}, maybe the server is currently unreachable.',
  ),
  'remote-host-unknown': notFound('there is no server with the name {host}'),
  'remote-not-listening': notFound('maybe the server is currently unreachable: nothing listens at {host}'),
  'remote-not-secure': notFound(
    'no secure connection to {host} is possible, maybe its certificate is not valid',
  ),
  'remote-not-sharing': notFound('the server {host} does not take part in federated sharing'),
  'remote-address-forbidden': answer(
    403,
    'Sharing {name} failed, the administrator does not allow connections to the address of {host}',
  ),
  'remote-refused': refusedThere('{words}', 'the server {host} does not take this share'),
  'remote-user-unknown': refusedThere('{words}', 'the server {host} does not know {recipient}'),
  'remote-signature-refused': refusedThere(
    'the server {host} does not accept the signature of this server ({words})',
    'without a reason',
  ),
  'sharer-excluded': refusal('You are not allowed to share'),
  'contains-received': refusal('Path contains files shared with you'),
  'with-yourself': refusal("Can't share with yourself"),
  root: refusal("You can't share your root folder"),
  'not-shareable': answer(404, 'You are not allowed to share {path}'),
  'second-factor-needed': answer(403, 'Sharing {path} on takes a sign-in with a second factor'),
  'permissions-invalid': answer(404, 'Invalid permissions'),
  'permissions-none': answer(400, 'Cannot remove all permissions'),
  'permissions-exceeded': answer(404, 'Cannot set the requested share permissions for {name}'),
  'attributes-exceeded': answer(404, 'Cannot set the requested share attributes for {path}'),
  'attributes-unknown': answer(400, 'The attribute {name} is not supported'),
  'attributes-not-carried': answer(400, 'A share with another server cannot carry the attribute {name}'),
  'demand-only-at-first': answer(
    400,
    'A second factor is demanded of another server when a share is made: end the share and make it anew',
  ),
  'only-group-members': refusal('Only sharing with group members is allowed'),
  'only-membership-groups': refusal('Only sharing within your own groups is allowed'),
  'already-shared-user': refusal('Path already shared with this user'),
  'already-shared-group': refusal('Path already shared with this group'),
  'with-owner': refusal("Can't share with the share owner"),
  'update-not-allowed': answer(404, 'Could not update share'),
  'update-arguments': answer(400, 'Wrong or no update parameter given'),
  'delete-not-allowed': answer(404, 'Could not delete share'),
  'only-recipient': answer(403, 'Only recipient can change accepted state'),
  'already-declined': answer(404, WRONG_ID),
};

/** Converts refusals of sharing into OCS failures; `updating` if an update made the call. */
export function sharingFailure(error: unknown, updating = false): OcsFailure | undefined {
  if (!(error instanceof SharingFailed)) return undefined;
  const row = ANSWERS[error.failure];
  const message = (updating && row.update?.message) || row.message;
  const whole = error.details.words ? message : message.replace('{words}', row.wordless ?? '');
  const filled = whole.replace(/\{(\w+)\}/g, (_, name: string) => error.details[name] ?? '');
  return new OcsFailure((updating && row.update?.code) || row.code, filled);
}
