/** Replaces line breaks in texts of others, so that no line of them can become a header. */
export const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
