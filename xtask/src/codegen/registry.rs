//! The part of the Vulkan registry that the generator uses, as plain data.

use super::TaskResult;
use roxmltree::{Document, Node};
use std::collections::BTreeMap;

/// The registry.
#[derive(Default)]
pub(crate) struct Registry {
    /// `VK_HEADER_VERSION`, with the version before it.
    pub(crate) header_version: String,
    /// Commands by name, aliases included.
    pub(crate) commands: BTreeMap<String, Command>,
    /// Structures and unions by name, aliases excluded.
    pub(crate) structs: BTreeMap<String, Struct>,
    /// Alias → name of the structure it stands for.
    pub(crate) struct_aliases: BTreeMap<String, String>,
    /// Extensions in the registry's order.
    pub(crate) extensions: Vec<Extension>,
    /// Values of `VkStructureType` and `VkResult` by name, aliases included.
    pub(crate) values: BTreeMap<String, i64>,
    /// Structure → minor core version that has it.
    pub(crate) struct_versions: BTreeMap<String, u32>,
}

/// A command.
#[derive(Clone, Default)]
pub(crate) struct Command {
    /// The type of its first parameter.
    pub(crate) dispatch: String,
    /// Names of success codes.
    pub(crate) successes: Vec<String>,
    /// Names of error codes.
    pub(crate) errors: Vec<String>,
    /// Minor version of Vulkan 1 that has it in its core.
    pub(crate) core: Option<u32>,
    /// Extensions that bring it.
    pub(crate) extensions: Vec<String>,
}

/// A structure.
pub(crate) struct Struct {
    /// What it extends.
    pub(crate) extends: Vec<String>,
    /// The name of its `VkStructureType`.
    pub(crate) s_type: Option<String>,
    /// Members in order.
    pub(crate) members: Vec<Member>,
}

/// A member of a structure.
pub(crate) struct Member {
    /// Its name in C.
    pub(crate) name: String,
    /// Its type in C, without pointers and arrays.
    pub(crate) ty: String,
    /// How many `*` it has.
    pub(crate) pointers: usize,
    /// Constant names or numbers of its array dimensions.
    pub(crate) array: Option<String>,
}

/// An extension.
pub(crate) struct Extension {
    /// `VK_…`.
    pub(crate) name: String,
    /// Whether it extends the instance.
    pub(crate) instance: bool,
    /// `…_SPEC_VERSION`.
    pub(crate) revision: u32,
    /// The registry's dependency expression.
    pub(crate) depends: String,
    /// The core version that took it in, as minor of Vulkan 1.
    pub(crate) promoted: Option<u32>,
    /// Structures it defines.
    pub(crate) structs: Vec<String>,
}

fn attribute<'a>(node: Node<'a, '_>, name: &str) -> &'a str {
    node.attribute(name).unwrap_or_default()
}

fn list(text: &str) -> Vec<String> {
    text.split(',')
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Whether a node is meant for Vulkan itself (not Vulkan SC only).
fn for_vulkan(node: Node<'_, '_>) -> bool {
    ["api", "supported"]
        .iter()
        .all(|name| match node.attribute(*name) {
            Some(apis) => apis.split(',').any(|api| api == "vulkan"),
            None => true,
        })
}

fn child<'a, 'b>(node: Node<'a, 'b>, tag: &str) -> Option<Node<'a, 'b>> {
    node.children().find(|child| child.has_tag_name(tag))
}

fn child_text(node: Node<'_, '_>, tag: &str) -> String {
    child(node, tag)
        .and_then(|child| child.text().map(str::to_owned))
        .unwrap_or_default()
}

impl Registry {
    /// Reads the XML text.
    pub(crate) fn parse(text: &str) -> TaskResult<Self> {
        let document = Document::parse(text)?;
        let mut registry = Self::default();
        for node in document.root_element().children().filter(Node::is_element) {
            match node.tag_name().name() {
                "types" => registry.types(node),
                "commands" => registry.commands(node),
                "enums" => registry.enums(node),
                _ => {}
            }
        }
        for node in document
            .root_element()
            .children()
            .filter(|node| for_vulkan(*node))
        {
            match node.tag_name().name() {
                "feature" => registry.feature(node)?,
                "extensions" => {
                    for extension in node
                        .children()
                        .filter(|node| node.is_element() && for_vulkan(*node))
                    {
                        registry.extension(extension)?;
                    }
                }
                _ => {}
            }
        }
        registry.resolve_command_aliases(&document);
        Ok(registry)
    }

    fn types(&mut self, types: Node<'_, '_>) {
        for node in types
            .children()
            .filter(|node| node.has_tag_name("type") && for_vulkan(*node))
        {
            let name = attribute(node, "name");
            match attribute(node, "category") {
                "struct" if node.attribute("alias").is_some() => {
                    self.struct_aliases
                        .insert(name.to_owned(), attribute(node, "alias").to_owned());
                }
                "struct" | "union" => {
                    let parsed = parse_struct(node);
                    self.structs.insert(name.to_owned(), parsed);
                }
                "define" if child_text(node, "name") == "VK_HEADER_VERSION" => {
                    let number: String = node.descendants().filter_map(|node| node.text()).collect();
                    let number = number.split_whitespace().last().unwrap_or_default().to_owned();
                    self.header_version = format!("1.4.{number}");
                }
                _ => {}
            }
        }
    }

    fn commands(&mut self, commands: Node<'_, '_>) {
        for node in commands
            .children()
            .filter(|node| node.has_tag_name("command") && for_vulkan(*node))
        {
            let Some(proto) = child(node, "proto") else {
                continue;
            };
            let dispatch = child(node, "param")
                .map(|param| child_text(param, "type"))
                .unwrap_or_default();
            let command = Command {
                dispatch,
                successes: list(attribute(node, "successcodes")),
                errors: list(attribute(node, "errorcodes")),
                ..Command::default()
            };
            self.commands.insert(child_text(proto, "name"), command);
        }
        for node in commands
            .children()
            .filter(|node| node.attribute("alias").is_some())
        {
            if let Some(command) = self.commands.get(attribute(node, "alias")).cloned() {
                self.commands.insert(attribute(node, "name").to_owned(), command);
            }
        }
    }

    /// An alias of an alias is met before its target is known; a second round finds it.
    fn resolve_command_aliases(&mut self, document: &Document<'_>) {
        for node in document.descendants().filter(|node| node.has_tag_name("command")) {
            let (name, target) = (attribute(node, "name"), attribute(node, "alias"));
            if let (false, Some(command)) = (self.commands.contains_key(name), self.commands.get(target)) {
                let command = Command {
                    core: None,
                    extensions: Vec::new(),
                    ..command.clone()
                };
                self.commands.insert(name.to_owned(), command);
            }
        }
    }

    fn enums(&mut self, enums: Node<'_, '_>) {
        if ["VkStructureType", "VkResult"].contains(&attribute(enums, "name")) {
            for node in enums.children().filter(|node| node.has_tag_name("enum")) {
                if let Ok(value) = attribute(node, "value").parse() {
                    self.values.insert(attribute(node, "name").to_owned(), value);
                }
            }
        }
    }

    /// A `<enum>` of a feature or extension; `number` is the extension's.
    fn extending_enum(&mut self, node: Node<'_, '_>, number: Option<i64>) -> TaskResult {
        if !["VkStructureType", "VkResult"].contains(&attribute(node, "extends")) {
            return Ok(());
        }
        let name = attribute(node, "name").to_owned();
        let value = if let Some(alias) = node.attribute("alias") {
            self.values.get(alias).copied()
        } else if let Some(value) = node.attribute("value") {
            Some(value.parse()?)
        } else {
            let number = match node.attribute("extnumber") {
                Some(number) => number.parse()?,
                None => number.ok_or("an enum without extension number")?,
            };
            let offset: i64 = attribute(node, "offset").parse()?;
            let value = 1_000_000_000 + (number - 1) * 1000 + offset;
            Some(if node.attribute("dir") == Some("-") {
                -value
            } else {
                value
            })
        };
        if let Some(value) = value {
            self.values.insert(name, value);
        }
        Ok(())
    }

    fn feature(&mut self, node: Node<'_, '_>) -> TaskResult {
        let minor = attribute(node, "number")
            .strip_prefix("1.")
            .ok_or("not Vulkan 1")?
            .parse()?;
        for item in required(node) {
            let name = attribute(item, "name");
            match item.tag_name().name() {
                "command" => {
                    if let Some(command) = self.commands.get_mut(name) {
                        command.core.get_or_insert(minor);
                    }
                }
                "type" => {
                    self.struct_versions.entry(name.to_owned()).or_insert(minor);
                }
                "enum" => self.extending_enum(item, None)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn extension(&mut self, node: Node<'_, '_>) -> TaskResult {
        let mut extension = Extension {
            name: attribute(node, "name").to_owned(),
            instance: attribute(node, "type") == "instance",
            revision: 1,
            depends: attribute(node, "depends").to_owned(),
            promoted: attribute(node, "promotedto")
                .strip_prefix("VK_VERSION_1_")
                .and_then(|minor| minor.parse().ok()),
            structs: Vec::new(),
        };
        let number: i64 = attribute(node, "number").parse()?;
        for item in required(node) {
            let name = attribute(item, "name");
            match item.tag_name().name() {
                "command" => {
                    if let Some(command) = self.commands.get_mut(name)
                        && !command.extensions.contains(&extension.name)
                    {
                        command.extensions.push(extension.name.clone());
                    }
                }
                "type" => extension.structs.push(name.to_owned()),
                "enum" if name.ends_with("_SPEC_VERSION") => {
                    extension.revision = attribute(item, "value").parse().unwrap_or(1);
                }
                "enum" => self.extending_enum(item, Some(number))?,
                _ => {}
            }
        }
        self.extensions.push(extension);
        Ok(())
    }

    /// The structure behind a name, through aliases.
    pub(crate) fn resolve<'a>(&'a self, mut name: &'a str) -> &'a str {
        while let Some(target) = self.struct_aliases.get(name) {
            name = target;
        }
        name
    }

    /// The value of a structure type or result.
    pub(crate) fn value(&self, name: &str) -> TaskResult<i64> {
        self.values
            .get(name)
            .copied()
            .ok_or_else(|| format!("no value of {name}").into())
    }
}

fn required<'a, 'b>(node: Node<'a, 'b>) -> impl Iterator<Item = Node<'a, 'b>> {
    node.children()
        .filter(|node| node.has_tag_name("require") && for_vulkan(*node))
        .flat_map(|require| require.children())
        .filter(|node| node.is_element() && for_vulkan(*node))
}

fn parse_struct(node: Node<'_, '_>) -> Struct {
    let mut parsed = Struct {
        extends: list(attribute(node, "structextends")),
        s_type: None,
        members: Vec::new(),
    };
    for member in node
        .children()
        .filter(|node| node.has_tag_name("member") && for_vulkan(*node))
    {
        if child_text(member, "name") == "sType" {
            parsed.s_type = member.attribute("values").map(str::to_owned);
        }
        let text: String = member
            .children()
            .filter(Node::is_text)
            .filter_map(|node| node.text())
            .collect();
        let array = if text.contains('[') {
            child(member, "enum")
                .and_then(|node| node.text())
                .map(str::to_owned)
                .or_else(|| {
                    text.split(['[', ']'])
                        .nth(1)
                        .filter(|size| !size.is_empty())
                        .map(str::to_owned)
                })
        } else {
            None
        };
        parsed.members.push(Member {
            name: child_text(member, "name"),
            ty: child_text(member, "type"),
            pointers: text.matches('*').count(),
            array,
        });
    }
    parsed
}
