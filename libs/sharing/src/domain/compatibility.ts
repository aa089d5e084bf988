/** Selects the behaviour where the interface document and deployed servers disagree. */
export type Compatibility = 'documented' | 'owncloud10';

/** All differences between the two modes. Source: the table in docs/protocol/compatibility.md. */
export interface Differences {
  /** Answer when a recipient declines: an empty reply, or the record with its state. */
  readonly declineShowsRecord: boolean;
  /** Whether declining a declined share fails with 404. */
  readonly decliningAgainFails: boolean;
  /** Whether one update call may carry several arguments. */
  readonly severalUpdateArguments: boolean;
  /** Whether an update of a user or group share without any argument succeeds and changes nothing. */
  readonly emptyUpdateSucceeds: boolean;
  /** Whether the permissions of a public link can be changed at all. */
  readonly linkPermissionsChange: boolean;
  /** Whether the link of a file may hold update (3) if the request asks for it. */
  readonly fileLinkMayUpdate: boolean;
  /** Whether a `publicUpload` that is none of the exact words is ignored rather than refused. */
  readonly oddUploadFlagIgnored: boolean;
  /** Whether `password` and `publicUpload` of a user, group or federated share are ignored rather than refused. */
  readonly linkArgumentsIgnored: boolean;
  /** Whether attributes that this server does not enforce are stored and shown rather than refused. */
  readonly unknownAttributesKept: boolean;
  /** Whether `expireDate` may be written in PHP's other forms and words, and be empty for a new share. */
  readonly phpDates: boolean;
  /** Whether the owner's DELETE of shares/pending/{id} deletes the share rather than being refused. */
  readonly ownerDeletesThroughPending: boolean;
  /** Whether core.status in capabilities writes its flags as the strings `true` and `false`. */
  readonly statusFlagsAsText: boolean;
  /** Whether the message of the capabilities is `OK` rather than empty. */
  readonly capabilitiesSayOk: boolean;
  /** Whether files_sharing.public.password.enforced is an object, as `enforced_for` is. */
  readonly passwordEnforcedAsObject: boolean;
  /** Whether capabilities announce uploads by TUS. Both modes accept them. */
  readonly tusAnnounced: boolean;
  /** Whether a PROPFIND with a forbidden `Depth: infinity` is a failed precondition rather than forbidden. */
  readonly infiniteDepthIsPrecondition: boolean;
  /** Whether visitors of links and partners may lock files that they may change. */
  readonly visitorsLock: boolean;
  /** Whether owners of files may end locks that others made on them. */
  readonly ownersEndLocks: boolean;
  /** Whether a change that is refused because of locks further below gets a 207 that lists them, rather than a 423. */
  readonly locksBelowListed: boolean;
  /** Whether capabilities announce Nextcloud's locks for users. Both modes accept them. */
  readonly userLocksAnnounced: boolean;
  /** Whether new passwords of accounts and links have rules when no setting says otherwise. */
  readonly passwordRules: boolean;
  /** Whether an account without a picture gets its name as the answer, for pages to show, rather than a picture of its initials. */
  readonly missingAvatarIsName: boolean;
  /** Whether an app password that an administrator makes at the address of ownCloud's page may administer, too. */
  readonly pageTokensAdminister: boolean;
}

const TABLE: Readonly<Record<Compatibility, Differences>> = {
  documented: {
    declineShowsRecord: false,
    decliningAgainFails: true,
    severalUpdateArguments: false,
    emptyUpdateSucceeds: false,
    linkPermissionsChange: false,
    fileLinkMayUpdate: false,
    oddUploadFlagIgnored: false,
    linkArgumentsIgnored: false,
    unknownAttributesKept: false,
    phpDates: false,
    ownerDeletesThroughPending: true,
    statusFlagsAsText: true,
    capabilitiesSayOk: false,
    passwordEnforcedAsObject: true,
    tusAnnounced: true,
    infiniteDepthIsPrecondition: false,
    visitorsLock: true,
    ownersEndLocks: true,
    locksBelowListed: true,
    userLocksAnnounced: true,
    passwordRules: true,
    missingAvatarIsName: false,
    pageTokensAdminister: false,
  },
  owncloud10: {
    declineShowsRecord: true,
    decliningAgainFails: false,
    severalUpdateArguments: true,
    emptyUpdateSucceeds: true,
    linkPermissionsChange: true,
    fileLinkMayUpdate: true,
    oddUploadFlagIgnored: true,
    linkArgumentsIgnored: true,
    unknownAttributesKept: true,
    phpDates: true,
    ownerDeletesThroughPending: false,
    statusFlagsAsText: false,
    capabilitiesSayOk: true,
    passwordEnforcedAsObject: false,
    tusAnnounced: false,
    infiniteDepthIsPrecondition: true,
    visitorsLock: false,
    ownersEndLocks: false,
    locksBelowListed: false,
    userLocksAnnounced: false,
    passwordRules: false,
    missingAvatarIsName: true,
    pageTokensAdminister: true,
  },
};

export function differencesOf(compatibility: Compatibility): Differences {
  return TABLE[compatibility];
}

/** Characters of a new federated share's secret: 190 bits. */
export const FEDERATED_SECRET_LENGTH = 32;
