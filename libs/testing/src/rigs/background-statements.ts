const BACKGROUND =
  /^(?:outbox_dispatch|delivery|content_change|share_watch|group_fan_out|handshake)\.|^stored_write\.claim$|FROM "directory_service" "s" WHERE "s"\."due_at"/;

/**
 * Whether a process runs this statement every few seconds without any call: it looks for messages and files for partners, due probes,
 * handshakes and directory services. On a slow machine that happens during each call. @param name of a prepared statement, or its text
 */
export const isBackgroundStatement = (name: string): boolean => BACKGROUND.test(name);
