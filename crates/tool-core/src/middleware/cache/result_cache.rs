//! A cache of results.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use std::{fmt, mem};

use async_trait::async_trait;

use super::key::Key;
use super::store::{CacheLimits, CachedOutput, Store};
use crate::middleware::{Call, Middleware, Next};
use crate::{ToolContext, ToolError, ToolOutput, clock};

type ScopeOf = dyn Fn(&ToolContext) -> String + Send + Sync;

/// Middleware that caches the results of read-only calls.
///
/// Calls are equal if the tool, the arguments as canonical JSON, and the [extensions](crate::Extensions) are the same: the
/// registry's for all calls, or one value that several calls share. So users never receive results of others, unless
/// [`ResultCache::scoped`] defines another scope. Concurrent equal calls run once. Only successful results are cached, with
/// their files, warnings and metadata plus `cached: true`; a cached call has no attempts.
///
/// Any call that may change something clears the cache before and after it runs, regardless of its outcome. Other changes
/// become visible when a result expires, or after [`ResultCache::clear`]. All clones are one cache.
///
/// The default limits are 1,000 results, 16 MB in total and 5 minutes.
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use tool_core::Registry;
/// use tool_core::middleware::ResultCache;
///
/// let cache = ResultCache::new().entries(200).age(Duration::from_secs(30)).except("current_time");
/// let registry = Registry::builder().middleware(cache.clone()).build();
/// cache.clear();
/// assert!(registry.list().is_empty());
/// ```
#[derive(Clone)]
pub struct ResultCache {
    bounds: CacheLimits,
    except: BTreeSet<String>,
    scope_of: Option<Arc<ScopeOf>>,
    store: Arc<Mutex<Store>>,
}

impl Default for ResultCache {
    fn default() -> Self {
        Self::new()
    }
}

impl ResultCache {
    /// Creates an empty cache.
    #[must_use]
    pub fn new() -> Self {
        Self {
            bounds: CacheLimits {
                entries: 1000,
                bytes: 16 * 1024 * 1024,
                age: Duration::from_mins(5),
            },
            except: BTreeSet::new(),
            scope_of: None,
            store: Arc::default(),
        }
    }

    /// Sets the maximum number of results. The least recently used one is removed first.
    #[must_use]
    pub fn entries(mut self, entries: usize) -> Self {
        self.bounds.entries = entries;
        self
    }

    /// Sets the maximum bytes of arguments and results, measured as JSON.
    #[must_use]
    pub fn bytes(mut self, bytes: usize) -> Self {
        self.bounds.bytes = bytes;
        self
    }

    /// Sets the age at which results expire.
    #[must_use]
    pub fn age(mut self, age: Duration) -> Self {
        self.bounds.age = age;
        self
    }

    /// Excludes one tool, such as one that returns the time.
    #[must_use]
    pub fn except(mut self, tool: impl Into<String>) -> Self {
        self.except.insert(tool.into());
        self
    }

    /// Sets the scope of calls, instead of their extensions: calls with equal scopes share results.
    #[must_use]
    pub fn scoped(
        mut self,
        scope_of: impl Fn(&ToolContext) -> String + Send + Sync + 'static,
    ) -> Self {
        self.scope_of = Some(Arc::new(scope_of));
        self
    }

    /// Removes all results.
    pub fn clear(&self) {
        self.store().clear();
    }

    fn store(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn cached(&self, call: Call<'_>, next: Next<'_>) -> Result<ToolOutput, ToolError> {
        let scope = self.scope_of.as_ref().map(|of| of(call.context()));
        let (key, pin) = Key::of(call, scope);
        if key.size() > self.bounds.bytes {
            return next.run(call).await;
        }
        let key = Arc::new(key);
        let slot = self.store().slot(&key, pin, clock::now(), self.bounds);
        let mut ran = false;
        let set_size = slot
            .get_or_try_init(|| {
                ran = true;
                run(call, next)
            })
            .await
            .map(|cached| cached.output.clone());
        match set_size {
            Ok(output) if ran => {
                let bytes = size(&output);
                self.store().set_size(&key, &slot, bytes, self.bounds);
                Ok(output)
            }
            Ok(mut output) => {
                output.metadata.insert("cached".to_owned(), true.into());
                Ok(output)
            }
            Err(error) => {
                self.store().remove_empty(&key, &slot);
                Err(error)
            }
        }
    }
}

/// Runs the tool, and adds the messages of its context to the output.
async fn run(call: Call<'_>, next: Next<'_>) -> Result<CachedOutput, ToolError> {
    let _before = OuterMessages::of(call.context());
    let mut output = next.run(call).await?;
    call.context().move_additions_to(&mut output);
    Ok(CachedOutput {
        output,
        stored_at: clock::now(),
    })
}

/// Messages of outer middleware. They belong to this call only, and are restored after the run.
struct OuterMessages<'c> {
    cx: &'c ToolContext,
    additions: ToolOutput,
}

impl<'c> OuterMessages<'c> {
    fn of(cx: &'c ToolContext) -> Self {
        let mut additions = ToolOutput::default();
        cx.move_additions_to(&mut additions);
        Self { cx, additions }
    }
}

impl Drop for OuterMessages<'_> {
    fn drop(&mut self) {
        let (cx, additions) = (self.cx, mem::take(&mut self.additions));
        let files = additions.files_affected.into_iter();
        additions
            .warnings
            .into_iter()
            .for_each(|text| cx.warn(text));
        files.for_each(|path| cx.affected(path));
        for (key, value) in additions.metadata {
            cx.note(key, value);
        }
        additions
            .content
            .into_iter()
            .for_each(|block| cx.attach(block));
    }
}

/// Returns the bytes of an output as JSON, without writing it.
fn size(output: &ToolOutput) -> usize {
    struct Counter(usize);
    impl Write for Counter {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut counter = Counter(0);
    // An output that cannot be measured is not cached.
    match serde_json::to_writer(&mut counter, output) {
        Ok(()) => counter.0,
        Err(_) => usize::MAX,
    }
}

/// Clears the cache after a call that may change something, even if it is dropped.
struct ClearOnDrop<'c>(&'c ResultCache);

impl Drop for ClearOnDrop<'_> {
    fn drop(&mut self) {
        self.0.clear();
    }
}

#[async_trait]
impl Middleware for ResultCache {
    async fn around(&self, call: Call<'_>, next: Next<'_>) -> Result<ToolOutput, ToolError> {
        if !call.only_reads() {
            self.clear();
            let _cleared = ClearOnDrop(self);
            return next.run(call).await;
        }
        let cx = call.context();
        if self.except.contains(cx.tool_name()) || self.except.contains(cx.registered_name()) {
            return next.run(call).await;
        }
        self.cached(call, next).await
    }
}

impl fmt::Debug for ResultCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResultCache")
            .field("bounds", &self.bounds)
            .finish_non_exhaustive()
    }
}
