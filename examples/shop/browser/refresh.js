// The page asks again by itself, unless somebody reads it by keyboard or selects what it says.
setInterval(() => {
  const isIdle = document.activeElement === document.body && getSelection().isCollapsed;
  if (isIdle && document.visibilityState === 'visible') location.reload();
}, 3_000);
