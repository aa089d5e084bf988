/** Opens the web application of another server at once. Without scripts, the button does. */
document.querySelector<HTMLFormElement>('form#launch')?.submit();
